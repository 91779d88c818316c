// SPDX-License-Identifier: MIT
// A case that is marked to start no thread (cmake/mote-functions.cmake) fails where one is started: the linker leads
// calls of pthread_create here.
#if defined(__linux__)

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *data);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *data);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *data)
{
    if (getenv("MOTE_ONE_THREAD")) {
        fputs("a thread is started in a case that is marked to have one only\n", stderr);
        exit(1);
    }
    return __real_pthread_create(thread, attributes, start, data);
}

#else
typedef int nothing_is_led_here;
#endif
