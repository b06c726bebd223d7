// Organisations and things that are named after people and places: neither people nor places themselves.

import type { NameLists } from '../build-lexicon.ts'
import type { Chance } from '../chance.ts'
import { capitalise, firstName, fullName, place, surname } from './names.ts'
import * as stock from './stock.ts'

export function company(lists: NameLists, chance: Chance): string {
  const roll = chance.next()
  if (roll < 0.4) return `${surname(lists, chance)} ${chance.pick(stock.companyEnds)}`
  if (roll < 0.6) return `${surname(lists, chance)} & ${surname(lists, chance)}`
  return chance.pick(stock.companies)
}

const namedAfterPlaces =
  stock.parts(`University of ~, ~ University, ~ State University, ~ College, University of ~ Press, ~ Times, ~ Post, ~ Gazette,
  ~ Daily News, ~ Tribune, The ~ Herald, ~ United, ~ City FC, FC ~, ~ Rovers, Real ~, AC ~, ~ Tigers, ~ Bulls, ~ Red Sox,
  ~ Hospital, ~ General Hospital, ~ Police Department, ~ City Council, ~ School District, ~ High School, ~ Stock Exchange,
  Bank of ~, ~ Savings Bank, ~ Airlines, Air ~, ~ Airways, ~ Chamber of Commerce, Port of ~ Authority, ~ Symphony Orchestra,
  ~ Opera, ~ Museum of Art, ~ Academy of Sciences, Royal Bank of ~, ~ Telecom, ~ Electric, ~ Steel, ~ Motors, ~ Insurance,
  ~ Pacific Railway, ~ Institute of Technology, Supreme Court of ~, Parliament of ~, ~ Football Association, ~ Ministry of
  Health, Republic of ~ Army, First National Bank of ~, ~ Public Library, ~ Marathon Committee, ~ Film Festival, ~ Brewing Co.`)

const namedAfterPeople =
  stock.parts(`~ Foundation, The ~ Institute, ~ University, ~ College, ~ & Co., ~ Brothers, ~ & Sons, ~ Motors, ~ Records, ~ Press,
  ~ Pictures, ~ Airlines, ~ Hotels, ~ Medical Center, ~ Memorial Hospital, ~ Elementary School, ~ Law Group, ~ Publishing,
  ~ Pharmaceuticals, ~ Chocolates, ~ Capital Management, ~ Family Trust, ~ Stanley & Co., ~ Electric Company, ~ Clinic,
  ~ Library, ~ Center for the Arts, ~ Insurance, ~ Bakery, ~ Pizza, ~ Auto Repair, ~ Dental, ~ Plumbing, ~ Realty`)

/** An organisation whose name has the name of a person or a place in it. */
export function namedOrganisation(lists: NameLists, chance: Chance): string {
  const roll = chance.next()
  if (roll < 0.5) return chance.pick(namedAfterPlaces).replace('~', () => anyPlace(lists, chance))
  if (roll < 0.55)
    return `St. ${firstName(lists, chance)}'s ${chance.pick(['Hospital', 'Church', 'School', 'College'])}`
  if (roll < 0.7) return company(lists, chance)
  const person = chance.next() < 0.75 ? surname(lists, chance) : fullName(lists, chance)
  return chance.pick(namedAfterPeople).replace('~', () => person)
}

const things =
  stock.parts(`the Treaty of @, the @ Agreement, the @ Protocol, the Battle of @, the @ Convention, the @ Declaration, the @ Olympics, the @
  Marathon, the Siege of @, the @ Accords, the ~ Prize, the ~ Award, the ~ Cup, the ~ Act, ~ syndrome, ~'s disease, ~'s law, ~'s theorem, the ~
  effect, the ~ method, the ~ Report, the ~ Trophy, a ~ engine, the ~ equation, the ~ scale, ~ v. Board of Education`)

/** An event, a law or an idea: @ is a place, ~ a surname. */
export function namedThing(lists: NameLists, chance: Chance): string {
  return chance.pick(things).replace(/[@~]/, mark => (mark === '@' ? anyPlace(lists, chance) : surname(lists, chance)))
}

function anyPlace(lists: NameLists, chance: Chance): string {
  const roll = chance.next()
  if (roll < 0.4) return chance.pick(stock.towns)
  return roll < 0.6 ? chance.pick(stock.countries) : capitalise(place(lists, chance))
}
