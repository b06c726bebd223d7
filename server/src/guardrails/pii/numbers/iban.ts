// Checks international bank account numbers: the length by country and the remainder modulo 97.

import { passesMod97 } from '../checksums.ts'

const lengths: Readonly<Record<string, number>> = Object.fromEntries(
  (
    'AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 ' +
    'FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 ' +
    'LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 ' +
    'RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30 ' +
    'AO25 BF28 BJ28 CF27 CG27 CI28 CM27 CV25 DZ26 GA27 GQ27 GW25 IR26 KM27 MA28 MG27 ML28 MZ25 NE28 SN28 TD27 TG28'
  )
    .split(' ')
    .map(entry => [entry.slice(0, 2), Number(entry.slice(2))]),
)

/** How many characters an IBAN of this country has, or 0. */
export function ibanLength(country: string): number {
  return lengths[country] ?? 0
}

export interface IbanAt {
  end: number
  value: string
}

/** The IBAN that begins here, in one run or in groups with single spaces or hyphens, or null. */
export function findIbanAt(text: string, start: number): IbanAt | null {
  const wanted = ibanLength(text.slice(start, start + 2).toUpperCase())
  if (wanted === 0) return null
  let value = ''
  let at = start
  while (value.length < wanted) {
    const code = text.charCodeAt(at)
    if (isAlphanumeric(code)) value += text.charAt(at)
    else if ((code !== 0x20 && code !== 0x2d) || value.length < 4 || !isAlphanumeric(text.charCodeAt(at + 1)))
      return null
    at++
  }
  if (isAlphanumeric(text.charCodeAt(at))) return null
  value = value.toUpperCase()
  return passesMod97(value) ? { end: at, value } : null
}

function isAlphanumeric(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a)
}
