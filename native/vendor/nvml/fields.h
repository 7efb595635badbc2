// NVML's field ids, as nvmlDeviceGetFieldValues takes them; scripts/check-nvml-layout compares them with published headers.
#pragma once

namespace faultline::nvml {

inline constexpr unsigned kFieldTimePowerCap = 74;  // ns
inline constexpr unsigned kFieldEnergy = 83;        // mJ since the driver was loaded
inline constexpr unsigned kFieldPowerInstant = 186;  // mW
// ns. NVML 12.9 and 13.0 before update 2 numbered these 251-253 and gave 269-271 to power smoothing.
inline constexpr unsigned kFieldTimeSwThermal = 269;
inline constexpr unsigned kFieldTimeHwThermal = 270;
inline constexpr unsigned kFieldTimePowerBrake = 271;

inline constexpr unsigned kFieldEccCorrected = 3;
inline constexpr unsigned kFieldEccUncorrected = 4;
inline constexpr unsigned kFieldEccCorrectedLifetime = 5;
inline constexpr unsigned kFieldEccUncorrectedLifetime = 6;
inline constexpr unsigned kFieldRetiredSbe = 29;
inline constexpr unsigned kFieldRetiredDbe = 30;
inline constexpr unsigned kFieldRetiredPending = 31;
inline constexpr unsigned kFieldViolationThermal = 75;  // ns, as all of these
inline constexpr unsigned kFieldViolationSyncBoost = 76;
inline constexpr unsigned kFieldViolationBoardLimit = 77;
inline constexpr unsigned kFieldViolationLowUtilization = 78;
inline constexpr unsigned kFieldViolationReliability = 79;
inline constexpr unsigned kFieldViolationAppClocks = 80;
inline constexpr unsigned kFieldViolationBaseClocks = 81;
inline constexpr unsigned kFieldMemoryTemperature = 82;  // Cel
inline constexpr unsigned kFieldLinkCount = 91;
inline constexpr unsigned kFieldPcieReplays = 94;
inline constexpr unsigned kFieldLinkDataTx = 138;  // KiB; scope: the link
inline constexpr unsigned kFieldLinkDataRx = 139;
inline constexpr unsigned kFieldRemapCorrected = 142;
inline constexpr unsigned kFieldRemapUncorrected = 143;
inline constexpr unsigned kFieldRemapPending = 144;
inline constexpr unsigned kFieldRemapFailed = 145;
inline constexpr unsigned kFieldLinkReplays = 161;
inline constexpr unsigned kFieldLinkRecoveries = 162;
inline constexpr unsigned kFieldLinkCrcErrors = 163;
inline constexpr unsigned kFieldLinkState = 165;
inline constexpr unsigned kFieldPcieRecoveries = 169;
inline constexpr unsigned kFieldC2cLinks = 170;
inline constexpr unsigned kFieldC2cStatus = 171;
inline constexpr unsigned kFieldPcieCorrectable = 173;
inline constexpr unsigned kFieldPcieNaksReceived = 174;
inline constexpr unsigned kFieldPcieReceiverErrors = 175;
inline constexpr unsigned kFieldPcieBadTlp = 176;
inline constexpr unsigned kFieldPcieNaksSent = 177;
inline constexpr unsigned kFieldPcieBadDllp = 178;
inline constexpr unsigned kFieldPcieNonfatal = 179;
inline constexpr unsigned kFieldPcieFatal = 180;
inline constexpr unsigned kFieldPcieUnsupported = 181;
inline constexpr unsigned kFieldPcieLcrcErrors = 182;
inline constexpr unsigned kFieldPcieLaneErrors = 183;
inline constexpr unsigned kFieldPowerLimitMin = 187;  // mW
inline constexpr unsigned kFieldPowerLimitMax = 188;
inline constexpr unsigned kFieldPowerLimitDefault = 189;
inline constexpr unsigned kFieldPowerLimitRequested = 192;
inline constexpr unsigned kFieldLimitShutdown = 193;  // Cel on the scale of the T.Limit: a threshold, not what is left
inline constexpr unsigned kFieldLimitSlowdown = 194;
inline constexpr unsigned kFieldLimitMemory = 195;
inline constexpr unsigned kFieldLimitGpu = 196;
inline constexpr unsigned kFieldPcieTx = 197;  // bytes
inline constexpr unsigned kFieldPcieRx = 198;
inline constexpr unsigned kFieldLinkBytesTx = 202;  // bytes; scope: the link; NVLink 5, as the ones that follow
inline constexpr unsigned kFieldLinkBytesRx = 204;
inline constexpr unsigned kFieldLinkMalformed = 206;
inline constexpr unsigned kFieldLinkBufferOverruns = 207;
inline constexpr unsigned kFieldLinkReceiveErrors = 208;
inline constexpr unsigned kFieldLinkIntegrityErrors = 211;
inline constexpr unsigned kFieldLinkRecoveriesFailed = 214;
inline constexpr unsigned kFieldLinkRecoveryEvents = 215;
inline constexpr unsigned kFieldLinkEffectiveErrors = 219;
inline constexpr unsigned kFieldLinkEffectiveBer = 220;  // bits 0-7: exponent, 8-11: mantissa
inline constexpr unsigned kFieldLinkSymbolErrors = 221;
inline constexpr unsigned kFieldLinkSymbolBer = 222;
inline constexpr unsigned kFieldResetStatus = 226;
inline constexpr unsigned kFieldDrainResetStatus = 227;
inline constexpr unsigned kFieldRecoveryAction = 230;
inline constexpr unsigned kFieldC2cReplays = 232;
inline constexpr unsigned kFieldLinkFec = 235;  // to 250: blocks with so many corrected symbols, 0 to 15
inline constexpr unsigned kLinkFecBins = 16;
inline constexpr unsigned kFieldSmoothing = 251;  // 0 or 1; this and the rest of power smoothing only where smoothing_fields_are_known()
inline constexpr unsigned kFieldSmoothingCeiling = 254;  // W
inline constexpr unsigned kFieldSmoothingFloor = 255;  // W
inline constexpr unsigned kFieldSmoothingLifetime = 258;  // percent
inline constexpr unsigned kFieldSmoothingProfile = 264;
inline constexpr unsigned kFieldRemapCorrectedInactive = 301;
inline constexpr unsigned kFieldRemapUncorrectedInactive = 302;
inline constexpr unsigned kFieldBankRemapActive = 303;
inline constexpr unsigned kFieldBankRemapInactive = 304;
inline constexpr unsigned kFieldBankRemapGroupsFull = 305;
inline constexpr unsigned kFieldBankRemapGroupsNone = 306;
inline constexpr unsigned kFieldBankRemapPending = 307;

}  // namespace faultline::nvml
