// Templates of prose about works, sport, politics and history, in which people often appear by surname alone. Beside
// them, organisations, events and things that are named after people and places. The slots are those of fill.ts.

import { templatesIn } from './templates.ts'

export const proseTemplates = templatesIn(`
  {L} {scored} in the second half.
  {L}, who {scored} twice against {C}, left the field injured.
  A goal by {L} in minute {n} was enough for {C}.
  The captain, {L}, {scored} after a pass from {L}.
  {L} replaced {L} at half time.
  Goalkeeper {L} saved a penalty by {L}.
  Coach {L} praised {L} and {L} after the game in {C}.
  {L} beat {L} 6-4, 7-5 in the final in {C}.
  In the semifinal {L} lost to {L} of {S}.
  {P} ({S}) won ahead of {P} ({S}) and {P} ({S}).
  {n}. {P} ({S}) {n}
  {L} set a record of {n} metres at {C} in 1987.
  {P}, the {nation} striker, has signed for {N}.
  {N} traded {L} to {N} for {L} and a draft pick.
  {L} pitched eight innings as {N} beat {N}.
  {C} lost to {C} on {day} despite {L}'s three goals.
  With {L} out, {L} will open for {S}.
  {L} started his career with {N} before moving to {C}.
  The title went to {L}, with {L} second and {L} third.
  What a game by {L}!
  {L}'s serve is stronger than {L}'s.
  {L} retired from the sport in 2011 and {said} he would return to {C}.
  {G} {scored} again last night
  did {K} really {tosay} that?
  {K} {said} the plan was dead.
  {K}'s speech in {C} surprised {K}.
  President {K} met {K} in {C} on {day}.
  the {K} administration and the {K} campaign
  {G} and {G} will debate in {C}.
  {K} or {K}, who wrote it first?
  Was {K} right about {K}?
  I have been reading {K} and {K} all summer.
  {K}'s early work shows the influence of {K}.
  Senator {L} of {S} {said} {K} was wrong.
  Minister {L} resigned after {L}, the {title}, {said} the {word} was false.
  {L} {said} on {day} that {S} would not sign.
  "That is not true," {L} {said}.
  "We have a {word}," {said} {L}, a {job} from {C}.
  {said} {P}, a {job} in {C}
  {L} told the court that {L} had left {C} by then.
  Judge {L} ruled against {N}.
  Police in {C} arrested {P}, {n}, and {P}, {n}.
  {P}, {n}, of {C}, was charged on {day}.
  {P}, {n}, from {C}, {S}, died on {day}.
  Survivors include his wife, {F}; his sons, {F} and {F}; and a sister, {P} of {C}.
  {P} (born {day} 3, 1951 in {C}) is a {nation} {job}.
  {P} ({day} 12, 1899 – {day} 4, 1977) was a {nation} {job} and {job}.
  Born in {C}, {L} studied at {N} under {P}.
  {L} was educated at {N} and {N}.
  {L} married {P} in 1921; they had two children, {F} and {F}.
  After the war {L} returned to {C}, where he taught {word}.
  {L} {made} {thing} in 1934.
  {L} {made} {thing} with {P} and {P}.
  In {thing}, {L} plays a {job} from {C}.
  {thing} was {passive} by {P}.
  {thing}, {passive} by {L} and {passive} by {L}, opened in {C}.
  {L} is best known for {thing}.
  Critics compared {L} to {L} and {K}.
  The score is by {L}, the words are by {L}.
  The band consists of {P} (guitar), {P} (bass) and {P} (drums).
  The cast includes {P}, {P}, {P} and {P}.
  {P} as {F} {L}
  {P} as {F}
  Starring {P} and {P}
  Written by {P}. Music by {P}.
  {L}, {F}. "{head}." {C}: {N}, 1998.
  {L}, {initial}. ({n}). {head}. {C}: {N}.
  ({L}, 2004; {L} & {L}, 2011)
  {L} et al. (2019) found the same {word}.
  as {L} (1994) has shown
  {L} and {L} propose a new {word}.
  {L}'s review of {L}'s {word} appeared in {N}.
  The portrait of {P} hangs in {N}.
  {F} and {F}, the heroes of the novel, flee to {C}.
  In chapter two {F} meets {L}, a {job}.
  {F} looked at {L}. "{head}," he {said}.
  {F} {said} nothing. {F} only nodded.
  "Where is {F}?" asked {L}.
  King {F} of {S} died in {C}.
  Queen {F} and her brother {F} ruled {S}.
  Saint {F} was born near {C}.
  Sir {P} sailed from {C} to {C} in 1521.
  Lord {L} and Lady {L} lived near {C}.
  General {L} crossed the {word} near {C}.
  Captain {L} took {C} in 1643.
  Lieutenant {P} was killed near {C}.
  Pope {F} visited {C}.
  The family of {L} came from {S}.
  His father, {P}, was a {job}; his mother, {F}, was from {C}.
  {F}'s brother {F} became a {job} in {C}.
  {P} succeeded {P} as {title} of {N}.
  {P} was elected {title} in 1973, defeating {P}.
  {L} represents {C} in parliament.
  Democrats chose {L} over {L} in {S}.
  {C} is {n} km north of {C}, on the border with {S}.
  The road from {C} through {C} to {C} was closed.
  {C} has {n} inhabitants and lies in the north of {S}.
  {C}, in {S}, is known for its {word}.
  fighting near {C} and in the hills around {C}
  Troops left {C} for {C} on {day}.
  {C}, {day} 3 -- {P} {said} on {day} that the {word} was over.
  {C} ({N}) - {L} {said}
  The {word} in {C}, {C} and {C} closed.
  exports from {S} to {S} and {S}
  {S} and {S} signed a {word} in {C}.
  {S}'s capital, {C}, was quiet.
  northern {S} and southern {S}
  He moved from {C}, {S}, to {C}, {S}.
  the rivers of {S}
  {N} is based in {C}.
  {N} and {N} will merge.
  {N} opened an office in {C}.
  He works at {N}.
  She studied law at {N}.
  shares of {N} fell after {N} cut its forecast
  {N}, {N} and {N} agreed on a {word}.
  {N} {said} on {day} that its {title} would leave.
  a study by {N}
  I applied to {N} and {N}
  {N} won the league.
  {N} vs {N}
  tickets for {N} against {N}
  the {N} website
  my order from {N} has not arrived
  {E} is taught in the second year.
  {E} was signed in 1951.
  after {E} and before {E}
  What is {E}?
  She won {E} for {work}.
  He suffers from {E}.
  have you seen {work}? I prefer {work}.
  Summarise {work} in two sentences.
  the {nation} press and the {nation} public
  {nation} cheese, {nation} wine and {nation} bread
  I speak {nation} and a little {nation}.
`)
