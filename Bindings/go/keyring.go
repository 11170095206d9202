package otp

/*
#include <otp.h>
#include <stdlib.h>

// Go may not pass C a pointer to memory that holds pointers to Go's memory, so structures with pointers are filled in
// here, from arguments that C gets one by one.

static otp_status keyring_create(
    size_t count, const char *names, const size_t *name_lens, const uint8_t *keys, const size_t *key_lens,
    otp_keyring **out) {
  otp_named_key named[64];
  if (count > 64) return OTP_INVALID_ARGUMENT;
  for (size_t i = 0; i < count; i++) {
    named[i] = (otp_named_key){sizeof named[i], names, name_lens[i], keys, key_lens[i]};
    names += name_lens[i];
    keys += key_lens[i];
  }
  return otp_keyring_create(named, count, out);
}
*/
import "C"

import (
	"fmt"
	"io"
	"strings"
	"unsafe"
)

// A Keyring seals records: all that a server must remember about a user's second factor, for one column of its table.
// Any number of goroutines can use one. There is one rule, the same for every outcome: replace the record that you read
// by the one that you got, if it is still there; answer only if that succeeded; otherwise read again (ReplaceUnder).
//
//	UPDATE users SET otp = $new WHERE id = $id AND otp = $old
//
// A subject says whose factor it is: 1 to 1,024 bytes, such as "user 42", which never change.
type Keyring struct{ pointer *C.otp_keyring }

// A NamedKey is a key of a keyring: a name of 1 to 32 characters, never used for another key, and 32 random bytes.
type NamedKey struct {
	Name string
	Key  []byte
}

// Format hides the key, whatever the verb.
func (NamedKey) Format(to fmt.State, _ rune) { io.WriteString(to, "<otp.NamedKey>") }

// OpenKeyring reads a keyring's file, as `otp keyring new` writes it.
func OpenKeyring(path string) (*Keyring, error) {
	if strings.ContainsRune(path, 0) {
		return nil, ErrInvalidArgument
	}
	text := C.CString(path)
	defer C.free(unsafe.Pointer(text))
	keyring := new(Keyring)
	return keyring.or(C.otp_keyring_open(text, &keyring.pointer))
}

// NewKeyring makes a keyring of keys from elsewhere. The first one seals; the others open what they sealed before.
func NewKeyring(keys ...NamedKey) (*Keyring, error) {
	size := 0
	for _, key := range keys {
		size += len(key.Key)
	}
	// With room from the start: append would leave copies of the keys behind.
	names, bytes := []byte{}, make([]byte, 0, size)
	nameLengths, lengths := make([]C.size_t, len(keys)+1), make([]C.size_t, len(keys)+1)
	for i, key := range keys {
		names, bytes = append(names, key.Name...), append(bytes, key.Key...)
		nameLengths[i], lengths[i] = C.size_t(len(key.Name)), C.size_t(len(key.Key))
	}
	first, _ := pointer(bytes)
	name, _ := pointer(names)
	keyring := new(Keyring)
	status := C.keyring_create(
		C.size_t(len(keys)), (*C.char)(unsafe.Pointer(name)), &nameLengths[0], first, &lengths[0], &keyring.pointer)
	for i := range bytes {
		bytes[i] = 0
	}
	return keyring.or(status)
}

// NewUnsealedKeyring makes a keyring that seals NOTHING, for a caller that encrypts and authenticates each record by
// other means.
func NewUnsealedKeyring() (*Keyring, error) {
	keyring := new(Keyring)
	return keyring.or(C.otp_keyring_create_unsealed(&keyring.pointer))
}

func (k *Keyring) or(status C.otp_status) (*Keyring, error) {
	if err := failure(status); err != nil {
		return nil, err
	}
	return k, nil
}

// Close wipes and releases the keys. Methods of a closed keyring return ErrInvalidArgument.
func (k *Keyring) Close() {
	C.otp_keyring_destroy(k.pointer)
	k.pointer = nil
}
