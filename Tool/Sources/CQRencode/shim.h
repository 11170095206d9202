// libqrencode, which only QRSymbol.swift calls.

#include <qrencode.h>
