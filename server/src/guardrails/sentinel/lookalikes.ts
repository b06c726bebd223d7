// Letters that look like Latin ones, from Unicode's table of confusables.

/** Pairs of a look-alike and the letter that it stands for. */
function readPairs(source: string): [number, number][] {
  return source
    .trim()
    .split(/\s+/)
    .flatMap(row => {
      const [latin, ...others] = [...row]
      return others.map(other => [other.charCodeAt(0), latin!.charCodeAt(0)] as [number, number])
    })
}

/** Letters of the Latin script itself: variants, small capitals, letters with a stroke. */
export const latinVariants = readPairs(`
aɑᴀꬰⱥȺɐ bʙƀɃƃƂɓƁ cᴄƈƇȼȻↄꞓ dᴅđĐɖɗƊƋƌð eᴇɇɆǝəɛɘ fꜰƒƑꞙ gɡɢǥǤɠƓᶃ hʜħĦɦⱨⱧⱶ iıɪɨƗɩᵻ jᴊɉɈȷʝ kᴋƙƘⱪⱩ
lʟłŁƚȽɫⱡⱠɭǀӀ mᴍɱ nɴɲƝŋŊƞȠɳ oᴏøØɵƟɔƆ pᴘƥƤᵽⱣ qɋɊ rʀɍɌɽⱤɹɾ sꜱʂȿ tᴛŧŦƭƬʈƮȶⱦȾ uᴜʉɄʊ vᴠʋƲⱴʌ wᴡⱳⱲ
xꭓ yʏɏɎƴƳ zᴢƶƵȥȤⱬⱫʐ
`)

/** Letters of other scripts, including capitals: their small letters may look different. */
export const lookalikes = readPairs(`
aАаΑαᎪꭺ bВвЬьΒβᏴᏼ cСсᏟꮯᴄ dԁԀᎠꭰժ eЕеЭэΕεєЄҽᎬꭼ fғҒϝϜք gԍԌᏀꮐցᎶꮆ hНнҺһΗᎻꮋհ iІіΙιᎥꭵ
jЈјᎫꭻյϳ kКкҝΚκᏦꮶ lӏᏞꮮլ mМмΜᎷꮇ nПпηΝոռᏁꮑ oОоΟοσςՕօჿ pРрΡρᏢꮲ qԚԛգզ rГгᎡꭱᏒꮢ sЅѕᏚꮪ
tТтΤτᎢꭲ uυսЦц vνѴѵᏙꮩ wԜԝωШшᏔꮃѡᎳ xХхҳΧχ yУуүҮΥγᎩꭹ zΖζᏃꮓ
`)
