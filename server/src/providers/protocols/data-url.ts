// Takes a data: address apart into the kind of its data and the data in base64. Knows no wire format.

export interface InlineData {
  mediaType: string
  base64: string
}

const head = /^data:([\w.+-]+\/[\w.+-]+)?((?:;[\w.+-]+=[^;,]*)*)(;base64)?,/i

/** Null where the address is another one, or makes no sense. */
export function readDataUrl(url: string): InlineData | null {
  const found = head.exec(url)
  if (found === null) return null
  const [whole, mediaType = 'text/plain', , isBase64] = found
  const rest = url.slice(whole.length)
  const base64 = isBase64 === undefined ? Buffer.from(decodeText(rest)).toString('base64') : rest
  return { mediaType: usualName(mediaType.toLowerCase()), base64 }
}

function usualName(mediaType: string): string {
  return mediaType === 'image/jpg' ? 'image/jpeg' : mediaType
}

function decodeText(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
