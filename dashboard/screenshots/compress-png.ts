// Rewrites a PNG of Chromium with a palette of its 256 most frequent colours, which is a third of its size: screens have
// few colours besides the shades of their text.
import { crc32, deflateSync, inflateSync } from 'node:zlib'

interface Picture {
  width: number
  height: number
  /** Three bytes each: red, green, blue. */
  pixels: Buffer
}

const signature = Buffer.from('89504e470d0a1a0a', 'hex')
const pixelBytes = 3
const maxColours = 256

export function compressPng(png: Buffer): Buffer {
  const { width, height, pixels } = readPng(png)
  const palette = choosePalette(pixels)
  const indexes = new Map(palette.map((colour, index) => [colour, index]))
  // Rows without a filter: flat areas repeat themselves as they are.
  const rows = Buffer.alloc((width + 1) * height)
  for (let at = 0; at < width * height; at++) {
    const colour = pixels.readUIntBE(at * pixelBytes, pixelBytes)
    const index = indexes.get(colour) ?? findNearest(palette, colour)
    indexes.set(colour, index)
    rows[at + Math.floor(at / width) + 1] = index
  }
  const header = Buffer.from([...new Uint8Array(8), 8, 3, 0, 0, 0])
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  const colours = Buffer.from(palette.flatMap(splitColour))
  const data = deflateSync(rows, { level: 9 })
  const chunks: [string, Buffer][] = [
    ['IHDR', header],
    ['PLTE', colours],
    ['IDAT', data],
    ['IEND', Buffer.alloc(0)],
  ]
  return Buffer.concat([signature, ...chunks.map(([type, content]) => writeChunk(type, content))])
}

function choosePalette(pixels: Buffer): number[] {
  const counts = new Map<number, number>()
  for (let at = 0; at < pixels.length; at += pixelBytes) {
    const colour = pixels.readUIntBE(at, pixelBytes)
    counts.set(colour, (counts.get(colour) ?? 0) + 1)
  }
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .slice(0, maxColours)
    .map(([colour]) => colour)
}

const splitColour = (colour: number): number[] => [colour >> 16, (colour >> 8) & 255, colour & 255]

function findNearest(palette: number[], colour: number): number {
  const wanted = splitColour(colour)
  const distances = palette.map(one =>
    splitColour(one).reduce((sum, part, index) => sum + (part - (wanted[index] ?? 0)) ** 2, 0),
  )
  return distances.indexOf(Math.min(...distances))
}

function writeChunk(type: string, content: Buffer): Buffer {
  const chunk = Buffer.concat([Buffer.alloc(4), Buffer.from(type, 'latin1'), content, Buffer.alloc(4)])
  chunk.writeUInt32BE(content.length, 0)
  chunk.writeUInt32BE(crc32(chunk.subarray(4, -4)), chunk.length - 4)
  return chunk
}

/** Of the kind that Chromium writes: eight bits, red, green and blue, not interlaced. */
function readPng(png: Buffer): Picture {
  const chunks: { type: string; content: Buffer }[] = []
  for (let at = signature.length; at < png.length; ) {
    const end = at + 8 + png.readUInt32BE(at)
    chunks.push({ type: png.toString('latin1', at + 4, at + 8), content: png.subarray(at + 8, end) })
    at = end + 4
  }
  const header = chunks[0]?.content ?? Buffer.alloc(0)
  if (header.subarray(8).toString('hex') !== '0802000000') throw new Error('not a PNG of the kind that Chromium writes')
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)]
  const data = chunks.filter(({ type }) => type === 'IDAT').map(({ content }) => content)
  return { width, height, pixels: removeFilters(inflateSync(Buffer.concat(data)), width * pixelBytes, height) }
}

/** Each row begins with the number of its filter: the row has differences to what that filter predicts. */
function removeFilters(rows: Buffer, rowBytes: number, height: number): Buffer {
  const pixels = Buffer.alloc(rowBytes * height)
  const predict = [
    () => 0,
    (left: number) => left,
    (_left: number, above: number) => above,
    (left: number, above: number) => (left + above) >> 1,
    predictPaeth,
  ]
  for (let row = 0; row < height; row++) {
    const start = row * rowBytes
    const filter = predict[rows[start + row] ?? 0]
    if (filter === undefined) throw new Error('an unknown filter')
    for (let at = start; at < start + rowBytes; at++) {
      const hasLeft = at >= start + pixelBytes
      const left = hasLeft ? pixels[at - pixelBytes] : 0
      const above = pixels[at - rowBytes] ?? 0
      const corner = hasLeft ? (pixels[at - rowBytes - pixelBytes] ?? 0) : 0
      pixels[at] = (rows[at + row + 1] ?? 0) + filter(left ?? 0, above, corner)
    }
  }
  return pixels
}

function predictPaeth(left: number, above: number, corner: number): number {
  const sum = left + above - corner
  const [toLeft, toAbove, toCorner] = [Math.abs(sum - left), Math.abs(sum - above), Math.abs(sum - corner)]
  if (toLeft <= toAbove && toLeft <= toCorner) return left
  return toAbove <= toCorner ? above : corner
}
