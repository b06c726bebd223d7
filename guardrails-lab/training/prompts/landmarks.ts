// Names of rivers, hills, counties, streets and buildings.

import type { NameLists } from '../build-lexicon.ts'
import type { Chance } from '../chance.ts'
import { place, surname } from './names.ts'
import * as stock from './stock.ts'

const forms =
  stock.parts(`~ River, River ~, Lake ~, Mount ~, ~ County, ~ Bay, ~ Island, ~ Islands, ~ Valley, ~ Creek, ~ Falls, ~ Beach, ~ Hills,
  ~ Mountains, Cape ~, Gulf of ~, ~ Sea, ~ Desert, ~ Forest, ~ National Park, ~ Park, ~ Station, ~ Airport, ~ International Airport,
  ~ Bridge, ~ Castle, ~ Cathedral, ~ Stadium, ~ Arena, ~ Square, ~ Mall, ~ Market, ~ Tower, ~ Harbour, Port ~, Fort ~, San ~, Santa ~,
  North ~, South ~, West ~, East ~, Upper ~, New ~, ~ Heights, ~ Springs, ~ Junction, ~ Avenue, ~ Street, ~ Road, ~ Plateau, ~ Ridge,
  ~ Peninsula, ~ Province, Province of ~, ~ Oblast, ~ District, Isle of ~, Strait of ~, ~ Pass, ~ Canyon, ~ Glacier, ~ Dam, ~ Prison`)

export function landmark(lists: NameLists, chance: Chance): string {
  const name = chance.next() < 0.5 ? place(lists, chance) : surname(lists, chance)
  return chance.pick(forms).replace('~', () => name)
}
