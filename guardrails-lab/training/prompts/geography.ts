// Templates of prose about places and what stands there, requests about places, and names of bands, chains and languages
// that are neither people nor places. The slots are those of fill.ts.

import { templatesIn } from './templates.ts'

export const geographyTemplates = templatesIn(`
  {C} is a {kind} in {S}.
  {C} is a {kind} in the {place} of {S}, {n} km south of {C}.
  {C} is a {kind} and former {kind} in {V}, {S}.
  {C} ({C} in the local dialect) is a {kind} near {C}.
  {C}, {S} is a {kind} on {V}.
  the {kind} of {C}
  the {nation} {kind} of {C}
  near the {kind} of {C} on {V}
  the {kind} and {kind} of {C} in central {S}
  between {C} and {C} on the {place} of {V}
  on the {place} of {C}, {C} and {C}
  in the {place} of {C}
  the plains of {S} and the valleys of {V}
  a petition of the villagers of {C}
  He represented {C} in the assembly of {S} from 1879 to 1883.
  Born in {C}, {C} (an area in present-day {C} or {C}, {S}), he worked in {C}.
  {P} (born 24 August, 1950 in {C}, {S}) is a {job} from {C}.
  after the invasion of {S} and the fall of {C}
  the sultan of {C} and the prince of {S}
  Earl of {C} and Duke of {C}
  The nearest station eastward is {C}, then {C}.
  Milepost {n}: {C} - a {kind} of {n} people
  The line runs from {C} via {C} and {C} to {C}.
  It crosses {V} at {C} and reaches {C} {n} miles later.
  two miles north of {C} on {V}
  {V} flows into {V} near {C}.
  {V} separates {C} from {C}.
  {V} is {n} metres high and lies in {S}.
  We walked around {V} and up {V}.
  {V} opened in 1903 and closed in 1977.
  {V} in {C} has a {word}.
  The {word} was held at {V} in {C}.
  meet me at {V} at noon
  concert at {V} tonight
  parking near {V}
  how do i get to {V}
  what's on at {V}
  take me to {V} in {C}
  {V}, {C}, {S}
  {V} and {V} were closed by snow.
  the county seat is {C}, {S}
  in the city of {C} and in the state of {S}
  in southern and eastern {S}
  off the coast of {S}, near {V}
  ships in {V} and {V}
  operated out of {C} during the war
  transferred to {C}, {S}, with the rest of the corps
  Its headquarters are in {C}, with plants in {C} and {C}.
  a {C}-based band
  a {C} man was arrested
  {C} police arrested a {C} woman
  {C} mayor {P}
  {S} governor {L}
  the {C} suburb of {C}
  the {C} metro and {C} airport
  {C} 2014
  {job}s from {S}, {S} and {S}
  a visit to {C}, {S} and {C}
  The river rises in {S} and ends near {C}.
  Exports go to {S}, {S}, {S} and {S}.
  {S} borders {S} to the north and {S} to the west.
  The emperor fled from {C} to {C} in 1204.
  Rain is expected in {C}, {C}, {C} and {C}.
  Alert: {C} - the road is closed
  BREAKING: fire near {C}
  great day in {C} with {F}
  landed in {C}, next stop {C}
  anyone in {C}, {S} tonight?
  i want to find a {job} in {c}
  i would like to go to {c}
  find me something in {c}
  i need a place in {c}, please
  is there one in {c}?
  how about {c}
  yes, {c} please
  in {c}
  from {c} to {c}
  leaving from {c}
  i'm going to {c} on {day}
  a bus from {c} for {n}
  i live in {c}
  some {word} in {c} or {c}
  where is {c}
  where is {c} located
  what is {c} famous for
  how is the weather in {c} on {day}
  can you reserve a ticket to {c} by train
  events around {c} and {c}
  attractions in {c}
  rent a car in {c}
  a flight to {c} from {c}
  make it {c} instead
  {c}, {s}
  {odd} is a {nation} band.
  {odd} is a {nation} chain of shops.
  {odd} is an endangered language.
  {odd} {odd} is an album by {odd}.
  the sixth album by {odd}
  his solo albums: {odd} {odd}; {odd}; {odd}
  in his book {odd} {odd} (1911)
  In 1972, {odd} introduced the {odd} {n}.
  {odd} is wise software
  the economy of the city: {N}, {odd} and {N}
  clients: {odd}, {N} and {odd} LLC
  companies such as {N}, {O} and {O}
  {O}, {O} and {O} are hiring
  sponsors: {N}, {N} and {O}
  The {L}, {L} and {L} office is closed.
  enum {cls} { {label}, {label}, {label} }
  {label}⏎{label}⏎{label}⏎{label}
  {odd} {odd}: {label} {odd}
  use std::{var}::{cls};
  The dataset is called {odd}. Load {odd} with {tech}.
`)
