// Replaces letters of other scripts that look like Latin ones. For comparing names with reserved words, not for
// display.

import { normalForm } from './normal-form.ts'

/**
 * In each pair, the letters of the first string look like those of the second. Both cases are listed because
 * they may look like different letters: Ν like n, ν like v.
 */
const pairs: readonly [string, string][] = [
  ['АВЕЅІЈКМНОРСТУҮХԌԚԜҺӀ', 'abesijkmhopctyyxgqwhl'],
  ['авеѕіјкмнорстуүхԍԛԝһӏёїґпѵԁ', 'abesijkmhopctyyxgqwhleirnvd'],
  ['ΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹ', 'abezhikmnoptyxc'],
  ['αβεηικνορτυχϲγςσω', 'abenikvoptuxcyssw'],
  ['ՏՕՍԼ', 'soul'],
  ['օոսցհյեճա', 'onughjeda'],
  ['ıɩɪɡɑʏʀɴʟʙʜɢᴀᴄᴅᴇᴊᴋᴍᴏᴘᴛᴜᴠᴡᴢꜱ', 'iiigayrnlbhgacdejkmoptuvwzs'],
  ['łŁđĐøØħĦŧŦ', 'llddoohhtt'],
  ['‐‑‒–—―−⁃', '--------'],
  ['∶꞉ː˸׃։܃܄᛬⁚', '::::::::::'],
]

const latin = new Map(pairs.flatMap(([from, to]) => [...from].map((letter, index) => [letter, [...to][index] ?? ''])))

/** The result ignores case, compatibility forms, invisible characters, accents and look-alikes. */
export function foldLookalikes(text: string): string {
  const plain = normalForm(normalForm(text, 'NFKC'), 'NFKD').replace(
    /[\p{M}\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}\u2800]/gu,
    '',
  )
  const folded = [...plain].map(letter => latin.get(letter) ?? letter).join('')
  return folded.toLowerCase().trim()
}
