/* dispatch.c - the table of kernels. */
#include "dispatch.h"

extern const mbx_kernel mbx_kernel_portable;

static bool always(void)
{
    return true;
}

#if defined(MBX_X86_KERNELS)
extern const mbx_kernel mbx_kernel_sse42, mbx_kernel_avx2, mbx_kernel_avx512;

static bool has_sse42(void)
{
    return __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt");
}

static bool has_avx2(void)
{
    return has_sse42() && __builtin_cpu_supports("avx2");
}

static bool has_avx512(void)
{
#if defined(MBX_EMULATED)
    return true;
#endif
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")
           && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}
#elif defined(MBX_NEON_KERNEL)
extern const mbx_kernel mbx_kernel_neon;
#endif

/* Slowest first. */
static const struct {
    const mbx_kernel *kernel;
    bool (*runs_here)(void);
} TABLE[] = {
    {&mbx_kernel_portable, always},
#if defined(MBX_X86_KERNELS)
    {&mbx_kernel_sse42, has_sse42},
    {&mbx_kernel_avx2, has_avx2},
    {&mbx_kernel_avx512, has_avx512},
#elif defined(MBX_NEON_KERNEL)
    {&mbx_kernel_neon, always},
#endif
};

int mbx_list_kernels(const mbx_kernel *kernels[MBX_MAX_KERNELS])
{
    int n = 0;
    for (size_t i = 0; i < sizeof TABLE / sizeof *TABLE; i++)
        if (TABLE[i].runs_here())
            kernels[n++] = TABLE[i].kernel;
    return n;
}

int mbx_list_instruction_sets(const char *names[MBX_MAX_INSTRUCTION_SETS])
{
    int n = 0;
#if defined(MBX_X86_KERNELS)
#define LIST(name) if (__builtin_cpu_supports(name)) names[n++] = name
    LIST("sse2");
    LIST("ssse3");
    LIST("sse4.2");
    LIST("popcnt");
    LIST("bmi2");
    LIST("avx2");
    LIST("avx512f");
    LIST("avx512bw");
    LIST("avx512dq");
    LIST("avx512vl");
    LIST("avx512vbmi");
#undef LIST
#elif defined(MBX_NEON_KERNEL)
    names[n++] = "neon";
#else
    (void)names;
#endif
    return n;
}
