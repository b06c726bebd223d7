// Parses data: URLs into the media type and the data, as text or in base64.

import { isUtf8 } from 'node:buffer'

export interface InlineData {
  mediaType: string
  isBase64: boolean
  /** The part before the data, unchanged. */
  head: string
  /** Unchanged: still percent-encoded or in base64. */
  data: string
}

const mediaTypeForm = /^[\w.+-]+\/[\w.+-]+$/
const parameterForm = /^[\w.+-]+=/
const base64Form = /^[A-Za-z0-9+/_-]*={0,2}$/

/** Returns null for any other or an invalid URL. */
export function readDataUrl(url: string): InlineData | null {
  if (!/^data:/i.test(url)) return null
  const comma = url.indexOf(',')
  if (comma === -1) return null
  const [mediaType = '', ...parameters] = url.slice('data:'.length, comma).split(';')
  const isBase64 = parameters.at(-1)?.toLowerCase() === 'base64'
  if (isBase64) parameters.pop()
  const isSound =
    (mediaType === '' || mediaTypeForm.test(mediaType)) && parameters.every(one => parameterForm.test(one))
  if (!isSound) return null
  const head = url.slice(0, comma + 1)
  return { mediaType: usualName(mediaType.toLowerCase()), isBase64, head, data: url.slice(comma + 1) }
}

export function base64Of({ isBase64, data }: InlineData): string {
  return isBase64 ? data : Buffer.from(decodeText(data)).toString('base64')
}

export function textIn({ isBase64, data }: InlineData): string {
  return isBase64 ? Buffer.from(data, 'base64').toString('utf8') : decodeText(data)
}

/**
 * Returns the readable text of a string. For a data: URL that includes the decoded data if its media type is
 * textual or the bytes are valid UTF-8.
 */
export function readableText(text: string): string {
  const inline = readDataUrl(text)
  if (inline === null) return text
  const { head, data, isBase64, mediaType } = inline
  if (!isBase64) return head + decodeText(data)
  // A reader may take invalid base64 as plain text, or skip the invalid characters: both readings are returned.
  const asItStands = base64Form.test(data) ? head : text
  const bytes = Buffer.from(data, 'base64')
  return isTextType(mediaType) || isUtf8(bytes)
    ? `${asItStands}\n${bytes.toString('utf8').replaceAll('\0', '')}`
    : asItStands
}

/** As `readableText`; some providers also take the data of a file as plain base64. */
export function readableFile(data: string): string {
  if (data === '' || data.length % 4 === 1 || !base64Form.test(data)) return readableText(data)
  const bytes = Buffer.from(data, 'base64')
  return isUtf8(bytes) ? `${data}\n${bytes.toString('utf8').replaceAll('\0', '')}` : data
}

function isTextType(mediaType: string): boolean {
  return mediaType.startsWith('text/') || /[/+.-](?:json|xml|csv|yaml|javascript)$/.test(mediaType)
}

function usualName(mediaType: string): string {
  if (mediaType === '') return 'text/plain'
  return mediaType === 'image/jpg' ? 'image/jpeg' : mediaType
}

function decodeText(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
