// All that the reader of environments may hand over. Written by scripts/lib/allowed-variables.mjs: do not edit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace faultline::allowed {

inline constexpr std::uint32_t kSum = 0x7fffbee6;
inline constexpr std::size_t kLongestName = 31;
inline constexpr std::string_view kNames[] = {
    "RANK",
    "OMPI_COMM_WORLD_RANK",
    "PMIX_RANK",
    "PMI_RANK",
    "MV2_COMM_WORLD_RANK",
    "PALS_RANKID",
    "JSM_NAMESPACE_RANK",
    "FLUX_TASK_RANK",
    "JAX_PROCESS_ID",
    "SLURM_PROCID",
    "SLURM_JOB_ID",
    "PBS_JOBID",
    "LSB_JOBID",
    "FLUX_JOB_ID",
    "HOME",
    "XDG_CACHE_HOME",
    "TORCH_FR_DUMP_TEMP_FILE",
    "TORCH_NCCL_DEBUG_INFO_TEMP_FILE",
    "TORCH_FR_DEBUG_INFO_PIPE_FILE",
    "TORCH_NCCL_DEBUG_INFO_PIPE_FILE",
    "WANDB_DIR",
    "TENSORBOARD_LOGGING_DIR",
    "WORLD_SIZE",
    "LOCAL_RANK",
    "LOCAL_WORLD_SIZE",
    "GROUP_RANK",
    "GROUP_WORLD_SIZE",
    "ROLE_RANK",
    "NODE_RANK",
    "MASTER_ADDR",
    "MASTER_PORT",
    "TORCHELASTIC_RUN_ID",
    "TORCHELASTIC_RESTART_COUNT",
    "PET_NNODES",
    "PET_NPROC_PER_NODE",
    "PET_NODE_RANK",
    "ACCELERATE_USE_DEEPSPEED",
    "ACCELERATE_USE_FSDP",
    "OMPI_COMM_WORLD_LOCAL_RANK",
    "OMPI_COMM_WORLD_NODE_RANK",
    "OMPI_COMM_WORLD_SIZE",
    "OMPI_COMM_WORLD_LOCAL_SIZE",
    "PMIX_NAMESPACE",
    "PMI_SIZE",
    "MPI_LOCALRANKID",
    "MPI_LOCALNRANKS",
    "MV2_COMM_WORLD_LOCAL_RANK",
    "MV2_COMM_WORLD_SIZE",
    "PALS_LOCAL_RANKID",
    "JSM_NAMESPACE_LOCAL_RANK",
    "JSM_NAMESPACE_SIZE",
    "JAX_NUM_PROCESSES",
    "JAX_COORDINATOR_ADDRESS",
    "SLURM_JOB_SLUID",
    "SLURM_ARRAY_JOB_ID",
    "SLURM_ARRAY_TASK_ID",
    "SLURM_STEP_ID",
    "SLURM_STEP_NUM_TASKS",
    "SLURM_NTASKS",
    "SLURM_LOCALID",
    "SLURM_NODEID",
    "SLURM_JOB_GPUS",
    "SLURM_STEP_GPUS",
    "SLURM_RESTART_COUNT",
    "SLURM_JOB_NAME",
    "SLURM_JOB_PARTITION",
    "SLURM_JOB_ACCOUNT",
    "PBS_JOBNAME",
    "PBS_NODENUM",
    "PBS_TASKNUM",
    "LSB_JOBINDEX",
    "LSB_JOBNAME",
    "FLUX_TASK_LOCAL_ID",
    "FLUX_JOB_SIZE",
    "JOB_COMPLETION_INDEX",
    "LWS_WORKER_INDEX",
    "LWS_GROUP_SIZE",
    "VC_TASK_INDEX",
    "CUDA_VISIBLE_DEVICES",
    "CUDA_DEVICE_ORDER",
    "NVIDIA_VISIBLE_DEVICES",
    "ROCR_VISIBLE_DEVICES",
    "HIP_VISIBLE_DEVICES",
    "NCCL_IB_HCA",
    "NCCL_IB_DISABLE",
    "NCCL_SOCKET_IFNAME",
    "GLOO_SOCKET_IFNAME",
    "UCX_NET_DEVICES",
    "TORCH_FR_BUFFER_SIZE",
    "TORCH_NCCL_TRACE_BUFFER_SIZE",
    "TORCH_NCCL_DUMP_ON_TIMEOUT",
    "TORCH_NCCL_ENABLE_MONITORING",
};
// Of these places among the names the values may have any characters, the others only plain ones.
inline constexpr std::size_t kFirstPath = 14;
inline constexpr std::size_t kPastPaths = 22;
inline constexpr std::size_t kLongestLibrary = 23;
inline constexpr std::string_view kLibraries[] = {
    "/jaxlib/",
    "xla_extension",
    "libjax_common",
    "libtensorflow_framework",
    "_pywrap_tensorflow",
    "libtorch_cpu",
    "libtorch_python",
};
// What the paths of device files begin with.
inline constexpr std::string_view kDevices[] = {
    "/dev/infiniband/uverbs",
};

}  // namespace faultline::allowed
