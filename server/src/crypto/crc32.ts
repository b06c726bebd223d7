// The checksum of the runtime's zlib, loaded with the first text: the module takes 5 MB of memory.

export function crc32(data: Uint8Array, start?: number): number {
  return process.getBuiltinModule('node:zlib').crc32(data, start)
}
