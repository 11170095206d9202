/// The implementations that the engine is measured beside, each as its users would call it. None of them compares or
/// scans in constant time unless its own library does.

#ifndef CPEERS_H
#define CPEERS_H

#include "peer_ipsec_mb.h"
#include "peer_liboath.h"
#include "peer_libotp.h"
#include "peer_openssl.h"

#endif
