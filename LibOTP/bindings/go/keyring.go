package otp

/*
#include <otp.h>
#include <stdlib.h>

// Structures with pointers to Go's memory are filled in here: see uri_build.
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
	"runtime"
	"strings"
	"unsafe"
)

// A Keyring seals records: all that a server must remember about a user's second factor, for one column of its table.
// There is one rule, the same for every outcome: replace the record that you read with the one that you got, if it is
// still there; answer only if that succeeded; otherwise read again. ReplaceUnder does so.
//
//	UPDATE users SET otp = $new WHERE id = $id AND otp = $old
//
// A subject says whose factor it is: 1 to 1,024 bytes, such as "user 42", which never change. A record opens for no
// other one. Each method is a function of otp.h, which describes it: Verify is otp_record_verify.
type Keyring struct{ handle }

// A NamedKey is a key of a keyring: a name of 1 to 32 characters of A-Z, a-z, 0-9, '.', '_' and '-', never used for
// another key, and 32 random bytes.
type NamedKey struct {
	Name string
	Key  []byte
}

// Format hides the key, whatever the verb.
func (NamedKey) Format(to fmt.State, _ rune) { io.WriteString(to, "<otp.NamedKey>") }

// OpenKeyring reads a keyring's file, as CreateKeyringFile or `otp keyring new` writes it. Open it again after a
// rotation.
func OpenKeyring(path string) (*Keyring, error) {
	var object *C.otp_keyring
	status := withPath(path, func(name *C.char) C.otp_status { return C.otp_keyring_open(name, &object) })
	return keyring(object, status)
}

// CreateKeyringFile writes a new keyring's file, as `otp keyring new` does: once, never at a server's start, since new
// keys open no old record. An existing file is ErrKeyringExists.
func CreateKeyringFile(path string) error {
	return failure(withPath(path, func(name *C.char) C.otp_status { return C.otp_keyring_create_file(name) }))
}

func withPath(path string, function func(name *C.char) C.otp_status) C.otp_status {
	if strings.ContainsRune(path, 0) {
		return C.OTP_INVALID_ARGUMENT
	}
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	return function(name)
}

// NewKeyring makes a keyring of 1 to 64 keys from elsewhere, such as a key management service. The first one seals; the
// others open what they sealed while they were the first. They are copied.
func NewKeyring(keys ...NamedKey) (*Keyring, error) {
	size := 0
	for _, key := range keys {
		size += len(key.Key)
	}
	// With room from the start: append would leave copies of the keys behind.
	names, bytes := []byte{}, make([]byte, 0, size)
	defer func() { wipe(bytes) }()
	nameLengths, lengths := make([]C.size_t, len(keys)+1), make([]C.size_t, len(keys)+1)
	for i, key := range keys {
		names, bytes = append(names, key.Name...), append(bytes, key.Key...)
		nameLengths[i], lengths[i] = C.size_t(len(key.Name)), C.size_t(len(key.Key))
	}
	name, _ := pointer(names)
	first, _ := pointer(bytes)
	var object *C.otp_keyring
	status := C.keyring_create(
		C.size_t(len(keys)), (*C.char)(unsafe.Pointer(name)), &nameLengths[0], first, &lengths[0], &object)
	return keyring(object, status)
}

// NewUnsealedKeyring makes a keyring that seals NOTHING: its records are their plain bytes, secret included. It is for
// a caller that encrypts and authenticates each record by other means, bound to its user.
func NewUnsealedKeyring() (*Keyring, error) {
	var object *C.otp_keyring
	status := C.otp_keyring_create_unsealed(&object)
	return keyring(object, status)
}

func keyring(object *C.otp_keyring, status C.otp_status) (*Keyring, error) {
	if err := failure(status); err != nil {
		return nil, err
	}
	keyring := new(Keyring)
	keyring.open(unsafe.Pointer(object), func(object unsafe.Pointer) {
		C.otp_keyring_destroy((*C.otp_keyring)(object))
	})
	runtime.SetFinalizer(keyring, (*Keyring).Close)
	return keyring, nil
}

// Close wipes and releases the keys, as soon as no call uses them. From then on, the methods return ErrInvalidArgument.
func (k *Keyring) Close() { k.close() }
