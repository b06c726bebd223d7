// Letters of other scripts that pass for Latin ones, folded to them. Compares names with reserved words; not for display.

/** Of each pair of lines, the upper letters look like the lower ones. Both cases are listed: what Ν and ν resemble differs. */
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

/** Case, compatibility forms, invisible characters, accents and look-alikes make no difference after this. */
export function foldLookalikes(text: string): string {
  const plain = text
    .normalize('NFKC')
    .normalize('NFKD')
    .replace(/[\p{M}\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}\u2800]/gu, '')
  const folded = [...plain].map(letter => latin.get(letter) ?? letter).join('')
  return folded.toLowerCase().trim()
}
