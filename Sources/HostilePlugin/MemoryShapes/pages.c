// Pages to be linked into a file, which then is large in one way: PAGES is bss, rodata or relro,
// PAGES_BYTES how large.
#define bss 1
#define rodata 2
#define relro 3
#define TEXT(value) TEXT_OF(value)
#define TEXT_OF(value) #value

#if PAGES == bss
__attribute__((used)) static char pages[PAGES_BYTES];
#elif PAGES == rodata
__attribute__((used)) static const char pages[PAGES_BYTES] = {1};
#else
__asm__(".pushsection .data.rel.ro,\"aw\"\n"
        ".balign 8\n"
        "pages: .rept " TEXT(PAGES_BYTES) " / 8\n"
        ".quad pages\n"
        ".endr\n"
        ".popsection");
#endif
