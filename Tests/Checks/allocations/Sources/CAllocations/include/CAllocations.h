/// How many blocks of memory this process has taken from the allocator so far, in any way. The program's own functions
/// stand in for libc's.
unsigned long allocation_count(void);
