/* A disk that can fail: PostgreSQL's processes preload this (LD_PRELOAD), and script/faults/disk.py says when it fails.

   The first byte of the file that PITSIDE_DISK names: 's' lets every sync of a file fail with EIO, 'f' lets no file grow
   (ENOSPC), anything else lets all pass. As on a real full disk, what a file has already may be written again. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static const volatile char *disk = "-";

__attribute__((constructor)) static void watch_disk(void)
{
    const char *path = getenv("PITSIDE_DISK");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0)
        return;
    void *page = mmap(NULL, 1, PROT_READ, MAP_SHARED, file, 0);
    if (page != MAP_FAILED)
        disk = page;
    close(file);
}

static int fails(int error)
{
    errno = error;
    return -1;
}

static int is_too_large(int file, off_t end)
{
    struct stat found;
    return *disk == 'f' && fstat(file, &found) == 0 && S_ISREG(found.st_mode) && end > found.st_size;
}

static off_t length_of(const struct iovec *parts, int count)
{
    off_t length = 0;
    for (int part = 0; part < count; part++)
        length += parts[part].iov_len;
    return length;
}

#define REAL(name) ((__typeof__(&name)) dlsym(RTLD_NEXT, #name))

int fsync(int file) { return *disk == 's' ? fails(EIO) : REAL(fsync)(file); }

int fdatasync(int file) { return *disk == 's' ? fails(EIO) : REAL(fdatasync)(file); }

ssize_t write(int file, const void *bytes, size_t count)
{
    if (*disk == 'f' && is_too_large(file, lseek(file, 0, SEEK_CUR) + (off_t) count))
        return fails(ENOSPC);
    return REAL(write)(file, bytes, count);
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t at)
{
    return is_too_large(file, at + (off_t) count) ? fails(ENOSPC) : REAL(pwrite)(file, bytes, count, at);
}

ssize_t pwritev(int file, const struct iovec *parts, int count, off_t at)
{
    return is_too_large(file, at + length_of(parts, count)) ? fails(ENOSPC) : REAL(pwritev)(file, parts, count, at);
}

int posix_fallocate(int file, off_t at, off_t length)
{
    return is_too_large(file, at + length) ? ENOSPC : REAL(posix_fallocate)(file, at, length);
}

/* Under these names programs call them that were built for large files on every machine. */
ssize_t pwrite64(int, const void *, size_t, off_t) __attribute__((alias("pwrite")));
ssize_t pwritev64(int, const struct iovec *, int, off_t) __attribute__((alias("pwritev")));
int posix_fallocate64(int, off_t, off_t) __attribute__((alias("posix_fallocate")));
