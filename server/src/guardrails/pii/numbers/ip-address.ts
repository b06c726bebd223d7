// Reads the written forms of IP addresses at a given offset. Looks at a bounded number of characters.

const maxIpv6Length = 45

/** The end of the dotted quad that begins here, or -1. A fifth number or a letter after it makes it something else. */
export function endOfIpv4(text: string, start: number): number {
  let at = start
  for (let octet = 0; octet < 4; octet++) {
    if (octet > 0 && text.charCodeAt(at++) !== 0x2e) return -1
    let value = 0
    const from = at
    for (; at - from < 4; at++) {
      const digit = text.charCodeAt(at) - 0x30
      if (!(digit >= 0 && digit <= 9)) break
      value = value * 10 + digit
    }
    if (at === from || at - from > 3 || value > 255) return -1
  }
  const next = text.charCodeAt(at)
  if (isWord(next)) return -1
  return next === 0x2e && isDigit(text.charCodeAt(at + 1)) ? -1 : at
}

/** The start of the IPv6 address around this colon, or -1: at most one group of hex digits precedes the first colon. */
export function startOfIpv6(text: string, colon: number): number {
  let at = colon
  while (at > 0 && colon - at < 5 && isHex(text.charCodeAt(at - 1))) at--
  if (colon - at > 4) return -1
  const before = text.charCodeAt(at - 1)
  return isWord(before) || before === 0x3a || before === 0x2e ? -1 : at
}

/** The end of the IPv6 address that begins here, or -1. */
export function endOfIpv6(text: string, start: number): number {
  let groups = 0
  let isCompressed = false
  let at = start
  if (text.startsWith('::', at)) {
    isCompressed = true
    at += 2
  }
  let digits = 0
  while (at - start <= maxIpv6Length) {
    const from = at
    while (at - from < 5 && isHex(text.charCodeAt(at))) at++
    if (at - from > 4) return -1
    if (at === from) break
    if (text.charCodeAt(at) === 0x2e && groups <= 6 && isDigit(text.charCodeAt(at + 1))) {
      const end = endOfIpv4(text, from)
      return end !== -1 && (isCompressed || groups === 6) ? end : -1
    }
    groups++
    digits += at - from
    if (text.charCodeAt(at) !== 0x3a) break
    if (text.charCodeAt(at + 1) === 0x3a) {
      if (isCompressed) return -1
      isCompressed = true
      at += 2
    } else if (isHex(text.charCodeAt(at + 1))) at++
    else break
  }
  // The mask alone makes ::/0 a network.
  if (groups === 0 && isCompressed && text.charCodeAt(at) === 0x2f && isDigit(text.charCodeAt(at + 1))) return at
  if (isCompressed ? groups === 0 || groups > 7 : groups !== 8) return -1
  if (groups === 8 && digits === 16) return -1
  const next = text.charCodeAt(at)
  return isWord(next) || (next === 0x3a && text.charCodeAt(at + 1) === 0x3a) ? -1 : at
}

const zoneForm = /%[a-z0-9][\w.-]{0,14}(?<=\w)/iy

/** The end of the address with its zone and prefix length: fe80::1%eth0, 2001:db8::/32, 10.0.0.0/8. */
export function endOfNetwork(text: string, end: number, isV4: boolean): number {
  const zoned = isV4 ? end : endOfZone(text, end)
  return endOfPrefix(text, zoned, isV4 ? 32 : 128)
}

function endOfZone(text: string, end: number): number {
  zoneForm.lastIndex = end
  return zoneForm.test(text) ? zoneForm.lastIndex : end
}

function endOfPrefix(text: string, end: number, max: number): number {
  if (text.charCodeAt(end) !== 0x2f) return end
  let length = 0
  let at = end + 1
  for (; at - end <= 3 && isDigit(text.charCodeAt(at)); at++) length = length * 10 + text.charCodeAt(at) - 0x30
  const next = text.charCodeAt(at)
  const isPath = isWord(next) || next === 0x2f || next === 0x2d || (next === 0x2e && isWord(text.charCodeAt(at + 1)))
  return at === end + 1 || length > max || isPath ? end : at
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}

function isHex(code: number): boolean {
  return isDigit(code) || ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x66)
}

function isWord(code: number): boolean {
  return isDigit(code) || ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a) || code === 0x5f || code >= 0xc0
}
