// Templates of dialogue, mail, chat, reviews and requests in lower case, in which people appear by given name. The slots
// are those of fill.ts.

import { templatesIn } from './templates.ts'

export const messageTemplates = templatesIn(`
  {F}, can you call me back?
  {F} -⏎⏎Attached is the {word}. Please review.⏎⏎{F}
  {F}:⏎⏎Per our talk, here is the {word}.⏎⏎{P}
  {F},⏎⏎I talked to {F} and {F} about the {word}. {F} will send it to {L}.⏎⏎Thanks,⏎{F}
  {F} and {F},⏎⏎Please see the {word} from {P}.⏎⏎Regards,⏎⏎{P}⏎{title}⏎{N}
  ----- Forwarded by {P} on 10/12/2001 -----⏎⏎{P}⏎To: {P}⏎cc: {P}, {P}⏎Subject: {head}
  From: {L}, {F}⏎Sent: {day}⏎To: {L}, {F}; {L}, {F}⏎Subject: RE: {head}
  To: {P}/HOU/{odd}@{odd}
  On {day}, {P} wrote:⏎> {F}, did you see the {word}?
  On {day} at 10:12, {P} <{mail}> wrote:
  {F} asked me to send this.
  Please let {F} know.
  I will check with {F} and get back to you.
  Talk to {F} ({L}) or {F} ({L}).
  {F} is out until {day}; ask {F}.
  Can you and {F} meet {L} in {C} on {day}?
  fyi {F}
  cc {F}
  + {F}
  @{F} please check
  Thanks {F}!
  thx {F}
  Cheers {F}
  Regards⏎⏎{P}
  Love,⏎{F}
  xoxo {F}
  Yours,⏎{F} & {F}
  {F} x
  ok {F}, see you in {C}
  lol {F} you are mad
  happy bday {F}!! love u
  miss you {F} and {F}
  {F} just called, he is in {C}
  @{odd} {F} is here too
  #{odd} {P} was great tonight
  watching {P} on tv
  {P} live in {C} tonight!
  new {P} album out now
  cant believe {P} died
  listening to {G}
  {G} is so good
  i love {G} and {G}
  vote for {K}!
  {K} is a liar
  off to {C} with {F}
  back in {C}, {S} finally
  snow in {C} again
  who wants to come to {C} on {day}?
  good night {C}!
  hello from {C}
  traffic on the bridge to {C} is bad
  Anyone from {C} here?
  I moved to {C} last year. Any good {word} around {C}?
  Is it safe to travel to {S}? We fly to {C} on {day}.
  best place in {C} for {word}
  Dr. {L} is the best doctor in {C}!
  Dr. {P} and her staff were very kind.
  Ask for {F}, he knows his {word}.
  We had {F} as our guide and she was great.
  {F} at the front desk was rude.
  {F} did my hair and {F} did my nails.
  Thank you {F} and the team at {N}!
  I have used {N} for years, {F} and {F} are great.
  Do not go to {N}!
  {N} in {C} is the worst.
  My dog {F} loves the {word}.
  my cat {F} does not eat
  My sister {F} and her husband {F} live in {C}.
  my son {F} is {n} and my daughter {F} is {n}
  me, {F}, {F} and {F}
  mum, {F} and i
  {F}'s mom says no
  aunt {F} and uncle {F} are coming from {C}
  grandma {F} is in {C}
  My husband's name is {F}.
  our teacher mrs {L}
  coach {L} said no
  {F}: hi⏎{F}: hey, where are you?⏎{F}: in {C}
  [10:02] {F}: is {F} there?⏎[10:03] {F}: no
  <{F}> anyone using {tech}?⏎<{F}> yes
  {F} ({n}:02 PM): ok
  {P}  10:14 AM⏎can you check the {word}?
  {F} said, "Where is {F}?"
  "Come in, {F}," said {F}.
  "I know," {F} whispered.
  "Mr. {L}, please sit down."
  Why, {F}? asked {F}.
  {F} smiled at {F}.
  {F} opened the door and saw {F}.
  {F} walked home. The next day {F} met {F} at the {word}.
  {F} has a {word}. {F} has two. Who has more, {F} or {F}?
  If {F} is taller than {F} and {F} is taller than {F}, who is tallest?
  what is the phone number of {F} {L}
  phone number for {F}
  call {F}
  call {L}
  ring {F} {L} please
  email {F} {L} and {F} {L}
  email from {F}
  any new mail from {F}
  reply to {F}
  send a message to {F} saying i am late
  set up a meeting with {F} and {F} at three
  meeting with {F} {L} on {day}
  remind me of {F}'s birthday
  who's {F}
  who was {F} {L}
  how old is {G}
  what did {G} do
  play {G}
  play something by {G}
  songs by {F} {L}
  tell me about {G}
  news about {K}
  news from {C}
  weather {C}
  weather in {C} {S} {day}
  is it raining in {C}
  will it snow in {C} tomorrow
  time in {C} {S}
  trains from {C} to {C}
  ticket to {C}
  directions to {C}
  how do i get from {C} to {C}
  hotels in {C}
  a table in {C} for {n}
  events in {C} this weekend
  find a {job} in {C}
  jobs for a {job} in {C} or {C}
  is there a {word} near {C}
  i am flying from {C} to {C} with {F}
  moving from {C} to {C}, what should i know
  i live in {C} and my parents live in {C} {S}
  write a text for {F} and {F}, they marry in {C}
  write a letter to my landlord {F} {L} in {C}
  translate this for {F}
  my boss {F} {L} from {C} wants a {word}
  my colleague {F} said that {F} from sales is leaving
  the doctor is called {F} {L}
  i'm {F}
  im {F} {L}
  {F} here
  it's {F} {L} again
  name's {F}
  name {F} {L}
  yes {F} {L}
  {F} {L}, {n} people
  under the name of {L}
  {L}, party of {n}
  for {L}, tomorrow at seven
  {L} please
  it is {F}, {F} {L}
  last name {L}, first name {F}
  that's {L} with a k
  send {n} to {F}
  pay {F} {L} {n}
  did {F} get the money
  how much do i owe {F}
  split the bill with {F} and {F}
  transfer from {F} {L}
`)
