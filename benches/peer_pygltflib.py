"""Loads a GLB with pygltflib, sees every accessor as a numpy array, and saves the file: the road of a hand-written
converter before it converts anything.

usage: peer_pygltflib.py IN.glb OUT.glb
"""
import sys

import numpy
import pygltflib

TYPES = {5120: numpy.int8, 5121: numpy.uint8, 5122: numpy.int16, 5123: numpy.uint16, 5125: numpy.uint32,
         5126: numpy.float32}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT2": 4, "MAT3": 9, "MAT4": 16}


def array(gltf, blob, accessor):
    kind, width = numpy.dtype(TYPES[accessor.componentType]), WIDTHS[accessor.type]
    if accessor.bufferView is None:
        return numpy.zeros((accessor.count, width), kind)
    view = gltf.bufferViews[accessor.bufferView]
    start = (view.byteOffset or 0) + (accessor.byteOffset or 0)
    stride = view.byteStride or kind.itemsize * width
    return numpy.ndarray((accessor.count, width), kind, blob, start, (stride, kind.itemsize))


def main():
    gltf = pygltflib.GLTF2().load(sys.argv[1])
    blob = gltf.binary_blob()
    total = sum(float(array(gltf, blob, accessor).sum(dtype=numpy.float64)) for accessor in gltf.accessors)
    gltf.save(sys.argv[2])
    print(total)


main()
