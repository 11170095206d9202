/// The number of allocations of this process so far, by any allocation function. The program's own functions replace
/// libc's.
unsigned long allocation_count(void);
