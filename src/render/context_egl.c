// SPDX-License-Identifier: MIT
// An OpenGL 3.3 core context without a window, through EGL.
//
// The displays are tried in this order: each device that EGL lists (graphics cards first; this needs no display
// server), Mesa's surfaceless platform, the default display. The first that gives a context is used. Displays belong
// to the process, and other code may use the same one: they are initialised but never terminated.
//
// libepoxy ends the process if it is asked for a function that no library provides, so functions that may be missing
// are looked up before they are called.

#include <dlfcn.h>
#include <epoxy/egl.h>
#include <stdio.h>
#include <string.h>

#include "render/internal.h"

enum { MAX_DEVICES = 32 };

static bool has_word(const char *words, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = words; at && (at = strstr(at, word)); at += length)
        if ((at == words || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0')) return true;
    return false;
}

// libepoxy loads OpenGL's library when the first function is called.
static bool has_opengl_library(void)
{
    static const char *const names[] = {"libOpenGL.so.0", "libGL.so.1"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        void *library = dlopen(names[i], RTLD_LAZY | RTLD_LOCAL);
        if (!library) continue;
        dlclose(library);
        return true;
    }
    return false;
}

static EGLConfig choose_config(EGLDisplay display)
{
    const EGLint wanted[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE};
    EGLConfig config = NULL;
    EGLint count = 0;
    if (!eglChooseConfig(display, wanted, &config, 1, &count) || count < 1) return NULL;
    return config;
}

// Makes a context on the display; false if that is not possible.
static bool create_on(EGLDisplay display, mote_gl_context *gl)
{
    EGLint major, minor;
    if (display == EGL_NO_DISPLAY || !eglInitialize(display, &major, &minor)) return false;
    if (!eglBindAPI(EGL_OPENGL_API)) return false;
    const char *extensions = eglQueryString(display, EGL_EXTENSIONS);
    if (major == 1 && minor < 5 && !has_word(extensions, "EGL_KHR_create_context")) return false;
    EGLConfig config = choose_config(display);
    if (!config) return false;

    const EGLint version[] = {
        EGL_CONTEXT_MAJOR_VERSION,           3,       EGL_CONTEXT_MINOR_VERSION, 3, EGL_CONTEXT_OPENGL_PROFILE_MASK,
        EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE};
    EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, version);
    if (context == EGL_NO_CONTEXT) return false;
    *gl = (mote_gl_context){display, context, EGL_NO_SURFACE};
    if (!has_word(extensions, "EGL_KHR_surfaceless_context")) {
        const EGLint size[] = {EGL_WIDTH, 1, EGL_HEIGHT, 1, EGL_NONE};
        gl->surface = eglCreatePbufferSurface(display, config, size);
    }
    mote_gl_saved saved;
    if (mote_gl_context_enter(gl, &saved)) {
        mote_gl_context_leave(gl, &saved);
        return true;
    }
    mote_gl_context_destroy(gl);
    return false;
}

static bool create_on_platform(EGLenum platform, void *native, mote_gl_context *gl)
{
    return create_on(eglGetPlatformDisplayEXT(platform, native, NULL), gl);
}

static bool create_on_a_device(mote_gl_context *gl)
{
    EGLDeviceEXT devices[MAX_DEVICES];
    EGLint count = 0;
    if (!eglQueryDevicesEXT(MAX_DEVICES, devices, &count)) return false;
    for (EGLint i = 0; i < count; ++i)
        if (create_on_platform(EGL_PLATFORM_DEVICE_EXT, devices[i], gl)) return true;
    return false;
}

mote_result mote_gl_context_create(mote_gl_context *gl, mote_error *error)
{
    *gl = (mote_gl_context){NULL, NULL, NULL};
    if (!has_opengl_library())
        return mote_fail(error, MOTE_ERROR_UNSUPPORTED, 0, "no OpenGL library: expected libOpenGL.so.0 or libGL.so.1");

    EGLenum api_before = eglQueryAPI();
    const char *client = eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
    bool platforms = has_word(client, "EGL_EXT_platform_base");
    bool devices = platforms && has_word(client, "EGL_EXT_platform_device") &&
                   (has_word(client, "EGL_EXT_device_enumeration") || has_word(client, "EGL_EXT_device_base"));
    bool surfaceless = platforms && has_word(client, "EGL_MESA_platform_surfaceless");
    bool made = (devices && create_on_a_device(gl)) ||
                (surfaceless && create_on_platform(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, gl)) ||
                create_on(eglGetDisplay(EGL_DEFAULT_DISPLAY), gl);
    eglBindAPI(api_before);
    if (made) return MOTE_OK;
    return mote_fail(error, MOTE_ERROR_UNSUPPORTED, 0,
                     "no OpenGL 3.3 through EGL (tried%s%s the default display); Mesa's drivers, package "
                     "libgl1-mesa-dri, give one without a graphics card",
                     devices ? " all devices," : "", surfaceless ? " the surfaceless platform," : "");
}

void mote_gl_context_destroy(mote_gl_context *gl)
{
    if (!gl->context) return;
    if (gl->surface != EGL_NO_SURFACE) eglDestroySurface(gl->display, gl->surface);
    eglDestroyContext(gl->display, gl->context);
    *gl = (mote_gl_context){NULL, NULL, NULL};
}

bool mote_gl_context_enter(const mote_gl_context *gl, mote_gl_saved *saved)
{
    *saved = (mote_gl_saved){eglGetCurrentDisplay(), eglGetCurrentContext(), eglGetCurrentSurface(EGL_DRAW),
                             eglGetCurrentSurface(EGL_READ), eglQueryAPI()};
    eglBindAPI(EGL_OPENGL_API);
    bool current = eglMakeCurrent(gl->display, gl->surface, gl->surface, gl->context);
    if (!current) eglBindAPI(saved->api);
    return current;
}

void mote_gl_context_leave(const mote_gl_context *gl, const mote_gl_saved *saved)
{
    eglBindAPI(saved->api);
    if (saved->context == EGL_NO_CONTEXT || !eglMakeCurrent(saved->display, saved->draw, saved->read, saved->context)) {
        eglBindAPI(EGL_OPENGL_API);
        eglMakeCurrent(gl->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
        eglBindAPI(saved->api);
    }
}
