#!/usr/bin/env python3
"""Writes a bumpy sheet of quads as FBX 7.4: `big_fbx.py FILE.fbx [TRIANGLES] [MESHES]`.

Binary, arrays deflated as Autodesk's tools do it, normals by corner, texture coordinates by index. The layout is that
of the Blender developers' public description of binary FBX. Needs only Python; shares no code with the reader.
"""
import math
import struct
import sys
import zlib
from array import array


def integer(value):
    return b"I" + struct.pack("<i", value)


def long(value):
    return b"L" + struct.pack("<q", value)


def text(value):
    raw = value.encode()
    return b"S" + struct.pack("<I", len(raw)) + raw


def numbers(code, values):
    raw = values.tobytes()
    packed = zlib.compress(raw, 6)
    return code.encode() + struct.pack("<III", len(values), 1, len(packed)) + packed


def node(name, properties=(), children=None):
    """A record as a function of its offset, since records hold where they end."""
    def at(offset):
        head = 13 + len(name)
        body = b"".join(properties)
        inside = b""
        if children is not None:
            for child in children:
                inside += child(offset + head + len(body) + len(inside))
            inside += bytes(13)
        end = offset + head + len(body) + len(inside)
        return struct.pack("<IIIB", end, len(properties), len(body), len(name)) + name.encode() + body + inside
    return at


def layer(kind, name, mapping, reference, arrays):
    words = [node("Version", [integer(101)]), node("Name", [text("")]),
             node("MappingInformationType", [text(mapping)]), node("ReferenceInformationType", [text(reference)])]
    return node(kind, [integer(0)], words + [node(n, [numbers(code, values)]) for n, code, values in arrays])


def sheet(identity, triangles):
    """One mesh of quads: points on a bumpy grid with the normals of its slope."""
    side = max(1, round(math.sqrt(triangles / 2)))
    row = side + 1
    wave = [(math.sin(i * 12.9898) * 0.013, i / side) for i in range(row)]
    points, slopes, tex_coords = array("d"), [], array("d")
    for across, y in wave:
        for along, x in wave:
            points.extend((x, y, math.sin(x * 9.0) * math.cos(y * 7.0) * 0.1 + across * along))
            dx = math.cos(x * 9.0) * math.cos(y * 7.0) * 0.9
            dy = -math.sin(x * 9.0) * math.sin(y * 7.0) * 0.7
            length = math.sqrt(dx * dx + dy * dy + 1.0)
            slopes.append((-dx / length, -dy / length, 1.0 / length))
            tex_coords.extend((x, y))
    corners, normals, uv_index = array("i"), array("d"), array("i")
    for y in range(side):
        for x in range(side):
            first = y * row + x
            quad = (first, first + 1, first + row + 1, first + row)
            corners.extend((*quad[:3], ~quad[3]))
            uv_index.extend(quad)
            for corner in quad:
                normals.extend(slopes[corner])
    return node("Geometry", [long(identity), text("\0\1Geometry"), text("Mesh")], [
        node("Vertices", [numbers("d", points)]),
        node("PolygonVertexIndex", [numbers("i", corners)]),
        node("GeometryVersion", [integer(124)]),
        layer("LayerElementNormal", "", "ByPolygonVertex", "Direct", [("Normals", "d", normals)]),
        layer("LayerElementUV", "", "ByPolygonVertex", "IndexToDirect",
              [("UV", "d", tex_coords), ("UVIndex", "i", uv_index)]),
        node("Layer", [integer(0)], [node("Version", [integer(100)])] + [
            node("LayerElement", [], [node("Type", [text(kind)]), node("TypedIndex", [integer(0)])])
            for kind in ("LayerElementNormal", "LayerElementUV")]),
    ])


def main():
    path = sys.argv[1]
    triangles = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
    meshes = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    objects, links = [], []
    for index in range(meshes):
        geometry, model = 1000 + index, 5000 + index
        objects.append(sheet(geometry, triangles // meshes))
        objects.append(node("Model", [long(model), text(f"sheet{index}\0\1Model"), text("Mesh")],
                            [node("Version", [integer(232)])]))
        links += [node("C", [text("OO"), long(model), long(0)]), node("C", [text("OO"), long(geometry), long(model)])]
    roots = [node("FBXHeaderExtension", [], [node("FBXHeaderVersion", [integer(1003)]),
                                             node("FBXVersion", [integer(7400)])]),
             node("Objects", [], objects), node("Connections", [], links)]
    out = bytearray(b"Kaydara FBX Binary  \0\x1a\0" + struct.pack("<I", 7400))
    for root in roots:
        out += root(len(out))
    out += bytes(13)
    with open(path, "wb") as file:
        file.write(out)


main()
