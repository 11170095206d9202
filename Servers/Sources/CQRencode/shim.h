// libqrencode, which draws the QR code of a key.

#include <qrencode.h>
