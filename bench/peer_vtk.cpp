// SPDX-License-Identifier: MIT
// VTK's flying edges on a dense grid: the triangles alone (Schroeder, Maynard & Geveci 2015).

#include <cstdlib>

#include <vtkCellArray.h>
#include <vtkFloatArray.h>
#include <vtkFlyingEdges3D.h>
#include <vtkImageData.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkPolyData.h>
#include <vtkSMPTools.h>

#include "bench.h"

static void *make(const float *values, int side, uint32_t threads)
{
    vtkSMPTools::Initialize((int)threads);
    vtkNew<vtkFloatArray> array;
    array->SetArray(const_cast<float *>(values), (vtkIdType)side * side * side, 1);
    vtkNew<vtkImageData> image;
    image->SetDimensions(side, side, side);
    image->GetPointData()->SetScalars(array);
    auto *edges = vtkFlyingEdges3D::New();
    edges->SetInputData(image);
    edges->SetValue(0, 0);
    edges->ComputeNormalsOff();
    edges->ComputeGradientsOff();
    edges->ComputeScalarsOff();
    edges->Update();
    return edges;
}

static bool take(void *structure, bench_surface_mesh *mesh)
{
    vtkPolyData *made = static_cast<vtkFlyingEdges3D *>(structure)->GetOutput();
    mesh->vertex_count = (size_t)made->GetNumberOfPoints();
    mesh->triangle_count = (size_t)made->GetNumberOfPolys();
    mesh->vertices = (mote_vec3 *)std::malloc((mesh->vertex_count + 1) * sizeof *mesh->vertices);
    mesh->triangles = (uint32_t *)std::malloc((3 * mesh->triangle_count + 1) * sizeof *mesh->triangles);
    if (!mesh->vertices || !mesh->triangles) return false;
    for (size_t v = 0; v < mesh->vertex_count; ++v) {
        double at[3];
        made->GetPoint((vtkIdType)v, at);
        mesh->vertices[v] = {at[0], at[1], at[2]};
    }
    for (size_t t = 0; t < mesh->triangle_count; ++t) {
        vtkIdType count;
        const vtkIdType *corners;
        made->GetPolys()->GetCellAtId((vtkIdType)t, count, corners);
        for (int k = 0; k < 3; ++k) mesh->triangles[3 * t + (size_t)k] = (uint32_t)corners[k];
    }
    return true;
}

static void release(void *structure)
{
    static_cast<vtkFlyingEdges3D *>(structure)->Delete();
}

extern "C" const bench_surface_peer bench_peer_flying_edges;
const bench_surface_peer bench_peer_flying_edges = {"VTK flying edges", nullptr, make, take, release};
