// Executes single instructions. Reads records, and writes each back as its instruction left it: where that lies behind
// BASE, its bytes, all registers, and memory that it may access.

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define BASE ((uint8_t *)0x612345600000)
#define ROOM 0x400000

// The assembly has the offsets: 40, 296, 304 and 368.
struct record {
  uint64_t place, size, window;
  uint8_t code[16];
  uint64_t general[32], flags, masks[8];
  uint8_t vectors[32][64], memory[192];
} record;
void *target, *stack;
void execute(void), back(void);

// clang-format off
#define TIMES8(DO, a) DO(a##0) DO(a##1) DO(a##2) DO(a##3) DO(a##4) DO(a##5) DO(a##6) DO(a##7)
#define EACH32(DO) TIMES8(DO, ) DO(8) DO(9) TIMES8(DO, 1) DO(18) DO(19) TIMES8(DO, 2) DO(28) DO(29) DO(30) DO(31)
#if defined(__x86_64__)
#define GENERAL(DO) DO(rax, 0) DO(rcx, 1) DO(rdx, 2) DO(rbx, 3) DO(rsp, 4) DO(rbp, 5) DO(rsi, 6) DO(rdi, 7) DO(r8, 8) \
  DO(r9, 9) DO(r10, 10) DO(r11, 11) DO(r12, 12) DO(r13, 13) DO(r14, 14) DO(r15, 15)
#define LOAD(r, n) "mov record+40+8*" #n "(%rip), %" #r "\n"
#define STORE(r, n) "mov %" #r ", record+40+8*" #n "(%rip)\n"
#define LOAD_V(n) "vmovdqu64 record+368+64*" #n "(%rip), %zmm" #n "\n"
#define STORE_V(n) "vmovdqu64 %zmm" #n ", record+368+64*" #n "(%rip)\n"
#define LOAD_K(n) "kmovq record+304+8*" #n "(%rip), %k" #n "\n"
#define STORE_K(n) "kmovq %k" #n ", record+304+8*" #n "(%rip)\n"
__asm__(".text\nexecute:\npush %rbx\npush %rbp\npush %r12\npush %r13\npush %r14\npush %r15\n" EACH32(LOAD_V)
        TIMES8(LOAD_K, ) "push record+296(%rip)\npopfq\nmov %rsp, stack(%rip)\n"
        GENERAL(LOAD) "jmp *target(%rip)\nback:\n" GENERAL(STORE) "mov stack(%rip), %rsp\npushfq\n"
        "pop record+296(%rip)\n" EACH32(STORE_V) TIMES8(STORE_K, )
        "vzeroupper\npop %r15\npop %r14\npop %r13\npop %r12\npop %rbp\npop %rbx\nret\n");
static const uint8_t tail[] = {0xff, 0x25, 0, 0, 0, 0};
#else
#define GENERAL(DO) TIMES8(DO, ) DO(8) DO(9) TIMES8(DO, 1) DO(18) DO(19) TIMES8(DO, 2) DO(28)
#define AT(name) "adrp x30, " #name "\nadd x30, x30, :lo12:" #name "\n"
#define LOAD(n) "ldr x" #n ", [x30, #40+8*" #n "]\n"
#define STORE(n) "str x" #n ", [x30, #40+8*" #n "]\n"
#define LOAD_V(n) "ldr q" #n ", [x30, #368+64*" #n "]\n"
#define STORE_V(n) "str q" #n ", [x30, #368+64*" #n "]\n"
#define SAVED(DO) DO " x19, x20, [sp, #16]\n" DO " x21, x22, [sp, #32]\n" DO " x23, x24, [sp, #48]\n" \
  DO " x25, x26, [sp, #64]\n" DO " x27, x28, [sp, #80]\n" DO " d8, d9, [sp, #96]\n" DO " d10, d11, [sp, #112]\n" \
  DO " d12, d13, [sp, #128]\n" DO " d14, d15, [sp, #144]\n"
__asm__(".text\nexecute:\nstp x29, x30, [sp, #-160]!\n" SAVED("stp") AT(stack) "mov x0, sp\nstr x0, [x30]\n"
        AT(record) "ldr x0, [x30, #296]\nmsr nzcv, x0\n" EACH32(LOAD_V)
        "ldr x0, [x30, #288]\nmov sp, x0\n" GENERAL(LOAD) LOAD(29) AT(target) "ldr x30, [x30]\nbr x30\nback:\n"
        AT(record) GENERAL(STORE) STORE(29) EACH32(STORE_V) "mov x0, sp\nstr x0, [x30, #288]\nmrs x0, nzcv\n"
        "str x0, [x30, #296]\n" AT(stack) "ldr x0, [x30]\nmov sp, x0\n" SAVED("ldp")
        "ldp x29, x30, [sp], #160\nret\n");
// ldr x30, 8; br x30.
static const uint32_t tail[] = {0x5800005e, 0xd61f03c0};
#endif

int main(void) {
  const int protection = PROT_READ | PROT_WRITE | PROT_EXEC, flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
  if (mmap(BASE, ROOM, protection, flags, -1, 0) != BASE) return 1;
  while (fread(&record, sizeof record, 1, stdin) == 1) {
    uint8_t *const code = BASE + record.place;
    memcpy(BASE + record.window, record.memory, sizeof record.memory);
    memcpy(code, record.code, record.size);
    memcpy(code + record.size, tail, sizeof tail);
    memcpy(code + record.size + sizeof tail, &(void (*)(void)){back}, sizeof(uint64_t));
    __builtin___clear_cache((char *)code, (char *)code + 64);
    target = code;
    execute();
    memcpy(record.memory, BASE + record.window, sizeof record.memory);
    fwrite(&record, sizeof record, 1, stdout);
  }
  return 0;
}
