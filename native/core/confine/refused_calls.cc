// The lists, for x86-64 and arm64. Numbers that a build host's headers are too old for are the same on both.
#include "core/confine/refused_calls.h"

#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace faultline::confine {
namespace {

constexpr long kPidfdSendSignal = 424, kIoUringSetup = 425, kIoUringEnter = 426, kIoUringRegister = 427, kOpenTree = 428,
               kMoveMount = 429, kFsopen = 430, kFsconfig = 431, kFsmount = 432, kFspick = 433, kClone3 = 435,
               kPidfdGetfd = 438, kProcessMadvise = 440, kMountSetattr = 442, kQuotactlFd = 443, kMemfdSecret = 447,
               kProcessMrelease = 448, kFchmodat2 = 452;
// Calls up to Linux 6.6; newer ones have not been reviewed yet.
constexpr long kHighestKnown = 456;

}  // namespace

void refuse_reach(CallFilter& filter) {
  filter.refuse_beyond(kHighestKnown, ENOSYS);
  filter.refuse({SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_kcmp, SYS_bpf, SYS_perf_event_open, SYS_userfaultfd,
                 SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_unshare, SYS_setns, SYS_keyctl, SYS_add_key,
                 SYS_request_key, SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_kexec_load, SYS_kexec_file_load,
                 SYS_reboot, SYS_swapon, SYS_swapoff, SYS_acct, SYS_quotactl, SYS_syslog, SYS_settimeofday, SYS_clock_settime,
                 SYS_clock_adjtime, SYS_adjtimex, SYS_sethostname, SYS_setdomainname, SYS_name_to_handle_at,
                 SYS_open_by_handle_at, SYS_fanotify_init, SYS_fanotify_mark, SYS_vhangup, SYS_personality,
                 SYS_move_pages, SYS_migrate_pages, SYS_seccomp, kIoUringSetup, kIoUringEnter, kIoUringRegister, kOpenTree,
                 kMoveMount, kFsopen, kFsconfig, kFsmount, kFspick, kPidfdGetfd, kProcessMadvise, kMountSetattr, kQuotactlFd,
                 kMemfdSecret, kProcessMrelease, SYS_mq_open, SYS_msgget, SYS_semget, SYS_shmget, SYS_shmat},
                EPERM);
#if defined(__x86_64__)
  filter.refuse({SYS_iopl, SYS_ioperm, SYS_modify_ldt, SYS_uselib, SYS_ustat, SYS_sysfs, SYS__sysctl}, EPERM);
#endif
  // To write into a terminal's input as if it had been typed.
  filter.refuse_if(SYS_ioctl, 1, TIOCSTI, EPERM);
  filter.refuse_if(SYS_ioctl, 1, TIOCLINUX, EPERM);
}

void refuse_programs(CallFilter& filter) {
  filter.refuse({SYS_execve, SYS_execveat}, EPERM);
  // Whose flags a filter cannot see; glibc then starts its threads by the older call.
  filter.refuse({kClone3}, ENOSYS);
  constexpr unsigned kNamespaces = CLONE_NEWNS | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;
  filter.refuse_unless_bits(SYS_clone, 0, CLONE_THREAD | CLONE_VM, kNamespaces, EPERM);
#if defined(__x86_64__)
  filter.refuse({SYS_fork, SYS_vfork}, EPERM);
#endif
}

void refuse_sockets(CallFilter& filter) {
  filter.refuse({SYS_socket, SYS_connect, SYS_bind, SYS_listen, SYS_accept, SYS_accept4}, EPERM);
}

void refuse_changes_of_files(CallFilter& filter) {
  filter.refuse({SYS_mknodat, SYS_mkdirat, SYS_unlinkat, SYS_symlinkat, SYS_linkat, SYS_renameat2, SYS_fchmod, SYS_fchmodat, SYS_fchown,
                 SYS_fchownat, SYS_truncate, SYS_fallocate, SYS_utimensat, SYS_setxattr, SYS_lsetxattr, SYS_fsetxattr,
                 SYS_removexattr, SYS_lremovexattr, SYS_fremovexattr, SYS_copy_file_range, kFchmodat2},
                EPERM);
#if defined(__x86_64__)
  filter.refuse({SYS_mknod, SYS_mkdir, SYS_rmdir, SYS_unlink, SYS_symlink, SYS_link, SYS_rename, SYS_renameat, SYS_chmod, SYS_chown,
                 SYS_lchown, SYS_creat, SYS_utime, SYS_utimes, SYS_futimesat},
                EPERM);
#elif defined(SYS_renameat)
  filter.refuse({SYS_renameat}, EPERM);
#endif
}

void refuse_signals(CallFilter& filter) {
  const auto own = static_cast<std::uint32_t>(getpid());
  filter.refuse({SYS_tkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo, kPidfdSendSignal}, EPERM);
  filter.refuse_unless(SYS_kill, 0, own, EPERM);
  filter.refuse_unless(SYS_tgkill, 0, own, EPERM);
  filter.refuse({SYS_setuid, SYS_setgid, SYS_setreuid, SYS_setregid, SYS_setresuid, SYS_setresgid, SYS_setgroups, SYS_setfsuid,
                 SYS_setfsgid, SYS_capset, SYS_setpgid, SYS_setsid, SYS_setpriority, SYS_ioprio_set, SYS_sched_setscheduler,
                 SYS_sched_setattr, SYS_setrlimit},
                EPERM);
  filter.refuse_unless(SYS_prlimit64, 0, 0, EPERM);
  // Its memory stays hidden.
  filter.refuse_if(SYS_prctl, 0, PR_SET_DUMPABLE, EPERM);
  filter.refuse_if(SYS_prctl, 0, PR_SET_PTRACER, EPERM);
  filter.refuse_if(SYS_prctl, 0, PR_SET_PDEATHSIG, EPERM);
}

}  // namespace faultline::confine
