// SPDX-License-Identifier: MIT
// Programs, textures and framebuffers of OpenGL, and its error messages.

#include <string.h>

#include "render/internal.h"

enum { LOG_BYTES = 1024 };

static GLuint compile(const mote_shader_text *text, GLenum kind, mote_error *error)
{
    GLuint shader = glCreateShader(kind);
    const char *parts[1 + MOTE_SHADER_PARTS] = {"#version 330 core\n", text->vertex};
    GLsizei count = 2;
    if (kind == GL_FRAGMENT_SHADER)
        for (count = 1; count <= MOTE_SHADER_PARTS && text->fragment[count - 1]; ++count)
            parts[count] = text->fragment[count - 1];
    glShaderSource(shader, count, parts, NULL);
    glCompileShader(shader);
    GLint done = GL_FALSE;
    glGetShaderiv(shader, GL_COMPILE_STATUS, &done);
    if (done) return shader;
    char log[LOG_BYTES] = "";
    glGetShaderInfoLog(shader, sizeof log, NULL, log);
    log[strcspn(log, "\n")] = '\0';
    mote_fail(error, MOTE_ERROR_UNSUPPORTED, 0, "the shader \"%s\" does not compile: %s", text->name, log);
    glDeleteShader(shader);
    return 0;
}

GLuint mote_gl_program(const mote_shader_text *text, mote_error *error)
{
    GLuint vertex = compile(text, GL_VERTEX_SHADER, error);
    GLuint fragment = vertex ? compile(text, GL_FRAGMENT_SHADER, error) : 0;
    GLuint program = 0;
    if (fragment) {
        program = glCreateProgram();
        glAttachShader(program, vertex);
        glAttachShader(program, fragment);
        glLinkProgram(program);
        GLint done = GL_FALSE;
        glGetProgramiv(program, GL_LINK_STATUS, &done);
        if (!done) {
            mote_fail(error, MOTE_ERROR_UNSUPPORTED, 0, "the shaders \"%s\" do not link", text->name);
            glDeleteProgram(program);
            program = 0;
        }
    }
    glDeleteShader(vertex);
    glDeleteShader(fragment);
    return program;
}

GLuint mote_gl_texture(GLenum internal_format, GLenum format, GLenum type, int width, int height)
{
    GLuint texture;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexImage2D(GL_TEXTURE_2D, 0, (GLint)internal_format, width, height, 0, format, type, NULL);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    return texture;
}

GLuint mote_gl_framebuffer(GLuint colour0, GLuint colour1, GLuint depth)
{
    GLuint framebuffer;
    glGenFramebuffers(1, &framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    if (colour0) glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, colour0, 0);
    if (colour1) glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT1, GL_TEXTURE_2D, colour1, 0);
    if (depth) glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, depth, 0);
    const GLenum buffers[] = {colour0 ? GL_COLOR_ATTACHMENT0 : GL_NONE, colour1 ? GL_COLOR_ATTACHMENT1 : GL_NONE};
    glDrawBuffers(2, buffers);
    glReadBuffer(buffers[0]);
    return framebuffer;
}

void mote_gl_set_int(GLuint program, const char *name, int value)
{
    glUniform1i(glGetUniformLocation(program, name), value);
}

void mote_gl_set_float(GLuint program, const char *name, double value)
{
    glUniform1f(glGetUniformLocation(program, name), (float)value);
}

void mote_gl_set_vec2(GLuint program, const char *name, double x, double y)
{
    glUniform2f(glGetUniformLocation(program, name), (float)x, (float)y);
}

void mote_gl_set_vec3(GLuint program, const char *name, mote_vec3 value)
{
    glUniform3f(glGetUniformLocation(program, name), (float)value.x, (float)value.y, (float)value.z);
}

void mote_gl_set_matrix(GLuint program, const char *name, const float matrix[16])
{
    glUniformMatrix4fv(glGetUniformLocation(program, name), 1, GL_FALSE, matrix);
}

void mote_gl_set_texture(GLuint program, const char *name, int unit, GLuint texture)
{
    glActiveTexture((GLenum)(GL_TEXTURE0 + unit));
    glBindTexture(GL_TEXTURE_2D, texture);
    mote_gl_set_int(program, name, unit);
}

mote_result mote_gl_check(const char *doing, mote_error *error)
{
    GLenum first = glGetError();
    for (int more = 0; first != GL_NO_ERROR && more < 100 && glGetError() != GL_NO_ERROR;) ++more;
    if (first == GL_NO_ERROR) return MOTE_OK;
    if (first == GL_OUT_OF_MEMORY)
        return mote_fail(error, MOTE_ERROR_OUT_OF_MEMORY, 0, "%s: OpenGL has no memory left", doing);
    return mote_fail(error, MOTE_ERROR_UNSUPPORTED, 0, "%s: OpenGL error 0x%04x", doing, first);
}
