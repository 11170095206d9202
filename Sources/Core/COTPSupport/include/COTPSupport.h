/// What Swift cannot express: the kernels for each instruction set and the plans that choose among them, OpenSSL's
/// EVP_MAC, macros and deprecated transforms, what the CPU and the process offer, memory on the stack, wiping, and
/// optimization barriers. All policy (which backend, which window, what is accepted) is in Swift.

#ifndef COTPSUPPORT_H
#define COTPSUPPORT_H

#include "otp_constant_time.h"
#include "otp_evp.h"
#include "otp_hash.h"
#include "otp_lanes.h"
#include "otp_mutex.h"
#include "otp_once.h"
#include "otp_private_file.h"
#include "otp_scratch.h"
#include "otp_system.h"
#include "otp_truncation.h"
#include "otp_wipe.h"

#endif
