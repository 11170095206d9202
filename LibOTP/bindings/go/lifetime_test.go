package otp

import (
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"
)

// A key may be closed, also twice, while it is in use. A call then has the right code or an error.
func TestAKeyIsClosedWhileInUse(t *testing.T) {
	at := time.Unix(59, 0)
	var right, refused atomic.Int64
	for range [200]int{} {
		key, err := NewKey(SHA1, secret)
		if err != nil {
			t.Fatal(err)
		}
		var group sync.WaitGroup
		for i := range [8]int{} {
			i := i
			group.Add(1)
			go func() {
				defer group.Done()
				for round := range [20]int{} {
					if i < 2 && round == 10 {
						key.Close()
					}
					switch code, err := key.TOTP(at, Params{}); {
					case code == "287082" && err == nil:
						right.Add(1)
					case code == "" && err == ErrInvalidArgument:
						refused.Add(1)
					default:
						t.Errorf("%q, %v", code, err)
					}
				}
			}()
		}
		group.Wait()
		if outcomes, err := VerifyBatch([]Request{{Key: key}}); err != nil || outcomes[0].Err != ErrInvalidArgument {
			t.Fatalf("a closed key in a batch: %v, %v", outcomes, err)
		}
	}
	if right.Load() == 0 || refused.Load() == 0 {
		t.Errorf("%d calls before the end, %d after it", right.Load(), refused.Load())
	}
}

func TestAnObjectIsDestroyedOnceAndAfterItsUses(t *testing.T) {
	destroyed, object := 0, new(int)
	var owner handle
	owner.open(unsafe.Pointer(object), func(unsafe.Pointer) { destroyed++ })
	if owner.acquire() != unsafe.Pointer(object) || owner.acquire() != unsafe.Pointer(object) {
		t.Fatal("the object cannot be used")
	}
	owner.release()
	owner.close()
	owner.close()
	if destroyed != 0 || owner.acquire() != nil {
		t.Errorf("closed while in use: destroyed %d times", destroyed)
	}
	owner.release()
	if destroyed != 1 || owner.acquire() != nil {
		t.Errorf("after the last use: destroyed %d times", destroyed)
	}
	var zero handle
	zero.close()
	if zero.acquire() != nil {
		t.Error("a zero handle can be used")
	}
}

// The garbage collector closes what is forgotten. (It may still see the last one.)
func TestTheGarbageCollectorDestroysWhatIsForgotten(t *testing.T) {
	var destroyed atomic.Int64
	func() {
		for range [10]int{} {
			key, err := NewKey(SHA1, secret)
			if err != nil {
				t.Fatal(err)
			}
			destroy := key.destroy
			key.destroy = func(object unsafe.Pointer) {
				destroy(object)
				destroyed.Add(1)
			}
			if _, err := key.TOTP(time.Unix(59, 0), Params{}); err != nil {
				t.Fatal(err)
			}
		}
	}()
	for deadline := time.Now().Add(10 * time.Second); destroyed.Load() < 9; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d of 10 were destroyed", destroyed.Load())
		}
		runtime.GC()
	}
}

// Texts reach C as they are, while stacks move and the garbage collector runs.
func TestTextsAreNotCopied(t *testing.T) {
	var group sync.WaitGroup
	for i := range [8]int{} {
		i := i
		group.Add(1)
		go func() {
			defer group.Done()
			for round := range [200]int{} {
				typed := strings.Repeat(" ", i) + string(rune('0'+round%10)) + "2345" + string(rune('0'+i))
				code, err := ReadTyped(typed, 6)
				if code != strings.TrimSpace(typed) || err != nil {
					t.Errorf("%q: %q, %v", typed, code, err)
				}
				if round%50 == 0 {
					runtime.GC()
				}
			}
		}()
	}
	group.Wait()
}
