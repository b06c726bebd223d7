// Compresses the files that never change, once each, for browsers that accept it.
import { gzipSync } from 'node:zlib'

export type Compress = (body: string | Buffer) => Buffer

export function createCompress(): Compress {
  const compressed = new Map<string | Buffer, Buffer>()
  return body => {
    const known = compressed.get(body) ?? gzipSync(body, { level: 9 })
    compressed.set(body, known)
    return known
  }
}

/** Reads what browsers send: a client that weighs its encodings gets the file as it is. */
export function acceptsGzip(acceptEncoding: string | string[] | undefined): boolean {
  return String(acceptEncoding ?? '')
    .split(',')
    .some(encoding => encoding.trim().toLowerCase() === 'gzip')
}
