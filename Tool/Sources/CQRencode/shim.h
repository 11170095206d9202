// libqrencode. The tool calls it in QRSymbol.swift only.

#include <qrencode.h>
