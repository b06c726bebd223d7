// Postal addresses: in one line, and in lines as on an envelope, in the forms of many countries.

import type { NameLists } from '../build-lexicon.ts'
import type { Chance } from '../chance.ts'
import { firstName, place, surname } from './names.ts'
import * as stock from './stock.ts'

/**
 * Towns, regions, a country and its forms of addresses. In a form | ends a line, ~t is a town, ~r a region, ~s the name
 * of a street, ~h a house number, # a digit and @ a letter.
 */
const countries: readonly (readonly [towns: string, regions: string, country: string, forms: readonly string[]])[] = [
  [
    'Springfield, Dayton, Tacoma, Omaha, Fresno, Tulsa, Boise, Reno',
    'IL, OH, WA, NE, CA, OK, ID, NV',
    'USA',
    [
      '~h ~s St|~t, ~r #####',
      '~h ~s Ave Apt ##|~t, ~r #####',
      '~h ~s Road|Suite ###|~t, ~r #####-####',
      'PO Box ~h|~t, ~r #####',
    ],
  ],
  [
    'Leeds, Norwich, Exeter, Dundee, Swansea, Hull, Reading, York',
    'Norfolk, Devon, Kent, Fife, Surrey',
    'United Kingdom',
    [
      '~h ~s Road|~t|@@## #@@',
      'Flat ##|~h ~s Street|~t|~r|@@# #@@',
      '~s House|~h ~s Lane|~t @# #@@',
      'Unit ##, ~s Park|~t|@@## #@@',
    ],
  ],
  [
    'Galway, Cork, Limerick, Sligo, Tralee',
    'Co. Cork, Co. Kerry, Co. Mayo',
    'Ireland',
    ['~h ~s Street|~t|~r', '~h ~s Park|~t|@## @#@#'],
  ],
  [
    'Halifax, Regina, Guelph, Kelowna, Moncton',
    'NS, SK, ON, BC, NB',
    'Canada',
    ['~h ~s Street|~t, ~r  @#@ #@#', '##-~h ~s Ave|~t ~r @#@ #@#'],
  ],
  [
    'Geelong, Hobart, Cairns, Ballarat, Dubbo',
    'VIC, TAS, QLD, NSW',
    'Australia',
    ['~h ~s Street|~t ~r ####', '##/~h ~s Parade|~t ~r ####', 'PO Box ~h|~t ~r ####'],
  ],
  ['Napier, Nelson, Dunedin, Rotorua', 'Otago', 'New Zealand', ['~h ~s Street|~s|~t ####']],
  [
    'Köln, Bremen, Kassel, Leipzig, Ulm, Freiburg im Breisgau',
    'Hessen',
    'Deutschland',
    [
      '~sstraße ~h|##### ~t',
      '~sweg ~h|D-##### ~t',
      'Am ~s ~h|##### ~t',
      '~sallee ~h|##### ~t',
      'Postfach ## ## ##|##### ~t',
    ],
  ],
  ['Graz, Linz, Villach, Bregenz', 'Tirol', 'Österreich', ['~sgasse ~h|#### ~t', '~sgasse ~h/##|A-#### ~t']],
  ['Bern, Basel, Chur, Luzern', 'Uri', 'Schweiz', ['~sstrasse ~h|#### ~t', '~sweg ~h|CH-#### ~t']],
  ['Utrecht, Breda, Leiden, Zwolle', 'Limburg', 'Nederland', ['~sstraat ~h|#### @@ ~t', '~slaan ~h|#### @@  ~t']],
  ['Gent, Namur, Leuven, Liège', 'Brabant', 'België', ['~sstraat ~h|#### ~t', 'Rue ~s, ~h|B-#### ~t']],
  [
    'Lyon, Nantes, Dijon, Brest, Pau',
    'Bretagne',
    'France',
    ['~h rue ~s|##### ~t', '~h bis, avenue ~s|##### ~t Cedex', '~h, boulevard de ~s|##### ~t', 'BP ~h|##### ~t'],
  ],
  [
    'Sevilla, Bilbao, Murcia, Gijón',
    'Asturias',
    'España',
    ['Calle ~s, ~h|##### ~t', 'C/ ~s, ~h, #º @|##### ~t (~r)', 'Avda. de ~s ~h|##### ~t'],
  ],
  ['Braga, Coimbra, Faro, Évora', 'Algarve', 'Portugal', ['Rua ~s, ~h|####-### ~t', 'Av. ~s ~h, #º|####-### ~t']],
  [
    'Bologna, Bari, Pisa, Trento',
    'BO, BA, PI',
    'Italia',
    ['Via ~s, ~h|##### ~t ~r', 'Viale ~s ~h|##### ~t (~r)', 'Piazza ~s #|##### ~t ~r'],
  ],
  [
    'Kraków, Gdynia, Łódź, Opole',
    'śląskie',
    'Polska',
    ['ul. ~s ~h|##-### ~t', 'ul. ~s ~h/##|##-### ~t', 'al. ~s ~h|##-### ~t'],
  ],
  ['Brno, Plzeň, Olomouc', 'Morava', 'Česká republika', ['~s ~h/##|### ## ~t']],
  ['Szeged, Pécs, Győr', 'Pest', 'Magyarország', ['~t|~s utca ~h.|####', '#### ~t, ~s u. ~h.']],
  ['Malmö, Umeå, Lund, Örebro', 'Skåne', 'Sverige', ['~sgatan ~h|### ## ~t', '~svägen ~h|SE-### ## ~t']],
  ['Bergen, Tromsø, Hamar', 'Troms', 'Norge', ['~sveien ~h|#### ~t', '~s gate ~h|N-#### ~t']],
  ['Aarhus, Odense, Vejle', 'Fyn', 'Danmark', ['~svej ~h|#### ~t', '~sgade ~h, #. tv.|DK-#### ~t']],
  ['Tampere, Turku, Oulu', 'Lappi', 'Finland', ['~skatu ~h @ ##|##### ~t']],
  ['Patras, Larissa, Volos', 'Crete', 'Greece', ['~s ~h|### ## ~t']],
  ['Bursa, Konya, Adana', 'İzmir', 'Türkiye', ['~s Mahallesi, ~s Caddesi No: ~h|##### ~t', '~s Sok. ~h/#|##### ~r/~t']],
  [
    'Campinas, Recife, Curitiba, Belém',
    'SP, PE, PR, PA',
    'Brasil',
    ['Rua ~s, ~h|~t - ~r|#####-###', 'Av. ~s, ~h - apto ##|~t/~r|CEP #####-###'],
  ],
  [
    'Puebla, Mérida, Oaxaca, León',
    'Jal., Pue., Yuc.',
    'México',
    ['Calle ~s ~h, Col. ~s|##### ~t, ~r', 'Av. ~s No. ~h|C.P. ##### ~t'],
  ],
  ['Rosario, Mendoza, Salta', 'Santa Fe', 'Argentina', ['~s ~h|@####@@@ ~t', 'Av. ~s ~h, piso #|#### ~t']],
  [
    'Pune, Nagpur, Kochi, Jaipur, Surat',
    'Maharashtra, Kerala, Gujarat',
    'India',
    [
      '~h, ~s Nagar|~t - ######',
      'Flat ###, ~s Apartments|~s Road|~t, ~r ######',
      'No. ~h, #th Cross, ~s Layout|~t ######',
    ],
  ],
  ['Lahore, Multan', 'Punjab', 'Pakistan', ['House ~h, Street ##, ~s Town|~t #####']],
  [
    'Bedok, Jurong',
    'Singapore',
    'Singapore',
    ['Blk ### ~s Road|##-###|Singapore ######', '~h ~s Avenue #|Singapore ######'],
  ],
  ['Ipoh, Melaka, Kuching', 'Perak', 'Malaysia', ['~h, Jalan ~s|##### ~t, ~r', 'No. ~h, Jln ~s #/#|##### ~t']],
  ['Bandung, Medan', 'Jawa Barat', 'Indonesia', ['Jl. ~s No. ~h|~t #####']],
  ['Cebu City, Davao City', 'Cebu', 'Philippines', ['~h ~s St., Brgy. ~s|#### ~t']],
  ['Shibuya-ku, Kita-ku, Naka-ku', 'Tokyo, Osaka', 'Japan', ['#-##-# ~s|~t, ~r ###-####', '〒###-#### ~r ~t ~s #-#']],
  ['Suwon, Daegu', 'Gyeonggi-do', 'South Korea', ['~h, ~s-ro, ~s-gu|~t #####']],
  ['Haidian District, Pudong', 'Beijing, Shanghai', 'China', ['Room ###, No. ~h ~s Road|~t, ~r ######']],
  ['Durban, Bloemfontein, George', 'KZN', 'South Africa', ['~h ~s Street|~s|~t|####', 'PO Box ~h|~t|####']],
  ['Kisumu, Ibadan, Kumasi', 'Oyo', 'Kenya', ['P.O. Box ~h-#####|~t', '~h ~s Road|~s|~t']],
  ['Haifa, Ashdod', 'Haifa', 'Israel', ['~s St. ~h|~t #######', '~h ~s Street, Apt #|~t']],
]

/** The lines of an address as on an envelope, some with the country. */
export function addressLines(lists: NameLists, chance: Chance): string[] {
  const [towns, regions, country, forms] = chance.pick(countries)
  const values: Record<string, () => string> = {
    '~t': () => (chance.next() < 0.6 ? chance.pick(towns.split(', ')) : place(lists, chance)),
    '~r': () => chance.pick(regions.split(', ')),
    '~s': () => streetName(lists, chance),
    '~h': () => String(1 + chance.below(10 ** (1 + chance.below(3)))),
    '#': () => String(chance.below(10)),
    '@': () => 'ABCDEFGHJKLMNPRSTUWYZ'.charAt(chance.below(21)),
  }
  const form = chance.pick(forms).replace(/~[trsh]|[#@]/g, mark => values[mark]!())
  const roll = chance.next()
  const last = roll < 0.3 ? [country] : roll < 0.35 ? [country.toUpperCase()] : []
  return [...form.split('|'), ...last]
}

function streetName(lists: NameLists, chance: Chance): string {
  const roll = chance.next()
  if (roll < 0.4) return surname(lists, chance)
  return roll < 0.6 ? firstName(lists, chance) : chance.pick(stock.streetNames)
}

export function address(lists: NameLists, chance: Chance): string {
  const draw = chance.pick
  const town = chance.next() < 0.5 ? draw(stock.towns) : place(lists, chance)
  const number = 1 + chance.below(10 ** (1 + chance.below(4)))
  const street = streetName(lists, chance)
  const unit = chance.next() < 0.3 ? `${draw([', ', ' '])}${draw(stock.units)} ${1 + chance.below(400)}` : ''
  const zip = String(10_000 + chance.below(89_999))
  const roll = chance.next()
  if (roll < 0.45) {
    const whole = `${number} ${chance.next() < 0.15 ? `${draw(['N', 'S', 'East', 'West', 'North'])} ` : ''}${street} ${draw(stock.streetEnds)}${unit}`
    const tail = draw([
      '',
      `, ${town}`,
      `, ${town}, ${draw(stock.states)} ${zip}`,
      `, ${town} ${draw(stock.states)} ${zip}`,
      ` ${town}`,
    ])
    return whole + tail
  }
  if (roll < 0.6)
    return `${number} ${street} ${draw(['Road', 'Street', 'Lane', 'Close', 'Avenue', 'Gardens', 'Mews'])}, ${town}${draw(['', ` ${ukCode(chance)}`])}`
  if (roll < 0.75)
    return `${street}${draw(['straße', 'strasse', 'weg', 'gasse', 'platz', 'straat', 'laan', 'gatan', 'vej', 'katu'])} ${1 + chance.below(200)}${draw(['', `, ${zip} ${town}`, `, ${town}`])}`
  if (roll < 0.87)
    return `${draw(['Calle', 'Rua', 'Via', 'Rue', 'Avenida', 'Avenue', 'ul.', 'Piazza', 'Rue de', 'Calle de', 'Via della'])} ${street}${draw([' ', ', '])}${1 + chance.below(200)}${draw(['', `, ${zip} ${town}`, `, ${town}`])}`
  if (roll < 0.93)
    return `P${draw(['', '.'])}O${draw(['', '.'])} Box ${1 + chance.below(9000)}${draw(['', `, ${town}`, `, ${town}, ${draw(stock.states)} ${zip}`])}`
  return `${number} ${draw(['Rue', 'Avenue', 'Boulevard', 'Rue de la', 'Chemin de'])} ${street}, ${zip} ${town}`
}

function ukCode(chance: Chance): string {
  const letter = (): string => 'ABCDEFGHJKLMNPRSTUWYZ'[chance.below(21)]!
  return `${letter()}${letter()}${1 + chance.below(20)} ${chance.below(10)}${letter()}${letter()}`
}
