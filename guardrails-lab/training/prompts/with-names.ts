// Templates of prompts that contain people and places: requests to a model, and pasted texts. The slots are those of
// fill.ts.

import { templatesIn } from './templates.ts'

export const requestTemplates = templatesIn(`
  Write an email to {P} asking about the {word}.
  Write a short bio for {P}, a {title} based in {C}.
  Draft a letter to {P} at {O} about the delayed {word}.
  Please summarise the call between {P} and {P} on {day}.
  My name is {P} and I live in {C}, {S}.
  my name is {F} and i need help with my {word}
  Hi, this is {F} from {C}. Can you help me with {tech}?
  this is {P} speaking, I am calling about order {n}
  I am {P}, the new {title}.
  i'm {F}, {n} years old, from {S}
  Dear {F},⏎⏎Thank you for your {word}.⏎⏎Kind regards,⏎{P}
  Hi {F},⏎can you send me the {word} by {day}?⏎Thanks,⏎{F}
  Dear Mr. {L}, we have received your {word}.
  Dear Ms {L},⏎I am writing about your {word}.⏎Sincerely,⏎{P}⏎{title}, {O}
  Mrs {L} asked Dr. {L} for a second opinion in {C}.
  Prof. {P} of {O} will speak in {C} on {day}.
  My boss {F} wants the {word} by {day}, what do I tell him?
  my wife {F} and my son {F} are moving to {C}
  my friend {F} says {tech} is faster than {tech}, is that true?
  Translate to French: "{F} went to {C} with {F}."
  Rewrite this more politely: {F}, send me the {word} now.
  Plan a trip from {C} to {C} for {P} and {P}.
  What is the weather in {C}?
  what's the weather like in {C} on {day}
  flights from {C} to {C} next {day}
  find me a hotel near {C}, {S}
  How far is {C} from {C}?
  best restaurants in {C} for a date with {F}
  I grew up in {C} and moved to {S} in 2009.
  Where can I park in {C} near {A}?
  Ship it to {A}.
  my address is {A}, please change it
  I live at {A}. How do I get to {C} by train?
  The office at {A} is closed on {day}s.
  Send the invoice to {P}, {A}.
  {P}⏎{A}
  {P}⏎{O}⏎{A}⏎{mail}
  Deliver to: {P}, {A}, phone ends with {n}
  Our headquarters moved from {A} to {A}.
  The apartment is located at {A} and costs {n} a month.
  Is {A} a safe area?
  The accident happened at the corner of {A}.
  I met {F} at {A} yesterday.
  Patient: {P}⏎Address: {A}⏎Complaint: headache
  Name: {P}⏎City: {C}⏎Country: {S}
  name = {P}⏎city = {C}⏎plan = gold
  Full name: {P} | Town: {C} | Role: {title}
  Customer {P} ({mail}) from {C} reports that {tech} does not start.
  Ticket #{n}: {P} cannot log in since {day}.
  From: {P} <{mail}>⏎To: {P} <{mail}>⏎Subject: {word} for {day}⏎⏎Hi {F},⏎see you in {C}.⏎{F}
  Cc: {P}, {P}; {P}
  Attendees: {P}, {P}, {F} and {F}
  Participants: {F}, {F}, {F}⏎Topic: {word} review
  {F}: did you finish the {word}?⏎{F}: almost, {F} is checking it
  {P}: Good morning everyone.⏎{P}: Good morning, {F}.
  Interviewer: What is your name? Candidate: {P}.
  Q: who owns the {word}? A: {P}
  Agent: may I have your name? Customer: {P}
  {"name":"{P}","city":"{C}","age":{n}}
  {"first_name": "{F}", "last_name": "{L}", "address": {"street": "{A}", "country": "{S}"}}
  [{"author": "{P}", "title": "{head}"}, {"author": "{P}", "title": "{head}"}]
  {"customer": {"fullName": "{P}", "tier": "{label}"}, "shipTo": "{A}"}
  {"to":"{F}","message":"meet me in {C}"}
  id,name,city,plan⏎1,{P},{C},gold⏎2,{P},{C},free⏎3,{P},{C},gold
  first,last,email,country⏎{F},{L},{mail},{S}⏎{F},{L},{mail},{S}
  name;ort;betrag⏎{P};{C};{n}⏎{P};{C};{n}
  | name | city | amount |⏎|---|---|---|⏎| {P} | {C} | {n} |⏎| {P} | {C} | {n} |
  INSERT INTO users (name, city) VALUES ('{P}', '{C}');
  SELECT * FROM customers WHERE last_name = '{L}' AND city = '{C}';
  user.name = "{P}"⏎user.city = "{C}"
  const customer = { name: '{P}', city: '{C}' }
  customers = ["{P}", "{P}", "{P}"]
  # Author: {P}
  // written by {P}, {day} 2019
  Copyright (c) 2021 {P}
  Signed-off-by: {P} <{mail}>
  Reviewed by {P} on {day}
  @author {P}
  2024-03-0{n} 10:12:01 INFO login ok user="{P}" city="{C}"
  [INFO] sent mail to {P} ({mail})
  payee {P}, reference {n}
  transfer {n} to {P} please
  send {n} euros to {F} {L} today
  book a table for four under {L}
  Book it under the name {P}, party of {n}.
  The reservation is under {L}, {n} people at seven.
  put it under {F}
  can i make a reservation for {P} in {C}
  remind me to call {F} on {day}
  text {F} that i am late
  call {F} {L} on his mobile
  email {F} about the {word}
  add {P} to my contacts
  play the album by {P}
  when is {F}'s birthday
  invite {F} and {F} to the {word}
  tell {F} i'm in {C}
  does {F} know about the {word}?
  {F} is moving to {S} in {day}.
  {P} was born in {C}, {S}, and studied at {O}.
  {P} joined {O} in 2015 as {title} and now lives in {C}.
  {P}, {title} at {O}, said on {day} that the {word} was ready.
  According to {P}, the {word} of {O} in {S} has grown.
  {L} scored twice as {C} beat {C} on {day}.
  President {L} met Chancellor {L} in {C}.
  The novel by {P} is set in {C} during the war.
  Explain the views of {P} on free will.
  Compare the poetry of {P} and {P}.
  Write a story about a girl named {F} who lives in {C}.
  write a poem for my daughter {F}, she turns {n}
  Write a cover letter for {P} applying as {title} at {O} in {C}.
  Write a recommendation letter for my student {P}.
  Give feedback on {F}'s performance: he finished the {word} late.
  Here is my CV:⏎{P}⏎{A}⏎{mail}⏎Experience: {title} at {O}, {C}
  Can you check whether {P} still works for {O}?
  We represent {P} in the case against {O}.
  This agreement is made between {P}, residing at {A}, and {O}.
  The tenant, {P}, pays rent to {P} for the flat at {A}.
  In witness whereof, {P} has signed in {C} on {day}.
  By: {P}⏎Title: {title}
  Attention: {P}⏎{O}⏎{A}
  Thanks, {F}
  - {F}
  Best,⏎{F} {L}
  Sent from my phone. {F}
  Hello {F}! How was {C}?
  good morning {F}
  hey {F}, can you take a look at the {tech} build?
  Ask {F} from support, she knows {tech}.
  {F} and I are going to {C} this weekend
  According to my doctor, Dr {L}, I should rest.
  Nurse {L} gave {F} the medicine at ward {n}.
  Mr {L} and Mrs {L} of {C}
  Meeting notes⏎- {F} will fix {tech}⏎- {F} talks to {O}⏎- {P} travels to {C}
  TODO {F}: update the {word}
  assigned to {P}, watched by {F} and {F}
  The package for {P} is stuck in {C}, {S}.
  Tax question: I live in {S} and work remotely for a company in {C}.
  Divorce law in {S}, my husband {F} left for {C}.
  population of {C}
  capital of {S}
  history of {C} in {S}
  we visited {C}, {C} and {C} last summer
  traffic between {C} and {C} is terrible
  the {C} office and the {C} office use {tech}
  region: {S}⏎site: {C}⏎contact: {P}
  Speaker 1: {F}, are you there?⏎Speaker 2: yes, {F} here, in {C}.
  Witness {P} saw the car in {A} near {C}.
  A train leaves {C} at noon and another leaves {C} at one.
  {F} has {n} apples and gives {n} to {F}. How many are left?
  {F}, {F} and {F} share a pizza. Who eats most?
  the guest list is {F}, {F}, {F} {L} and {F}
  Happy birthday {F}!
  RIP {P}
  {P} is trending
  so proud of {F} today
  just landed in {C}
  who is {P}?
  wer ist {P} aus {C}?
  Mi nombre es {P} y vivo en {C}.
  Je m'appelle {P}, j'habite à {C}.
  Ich heiße {P} und wohne in {C}, {A}.

  My name is {F}
  my name is {L}
  my name is {F} {L}
  The name is {L}.
  it's under {L}
  it should be under {F} {L}
  the account holder is {F} {L}
  transfer {n}£ to {F} {L} in {n} days
  how much did i send to {L} last week?
  did {F} {L} pay me back?
  show payments to {L}
  They are: {F}, {F}, {F}, {F} and {F}.
  We had {n}: {F}, {F}, {F} and {F}.
  our founders: {L}, {L} and {L}
  {L}, {L} and {L} wrote the paper.
  {F} is from {S}
  {F} is from {C}.
  {F} {L} lives at {A}
  {F}: What did you say?⏎{F}: Nothing!
  "I agree," says {L}.
  "We will win," said {L} on {day}.
  asked whether {L} had seen {F}
  {L} filed a lawsuit in {C}.
  In return {L} met {L} in {C}.
  {L} has stated that the {word} is wrong.
  {L} had {n} other fights and moved to {C}.
  {P} was a {nation} {title}.
  {P} ({n} - {n}) was a {nation} {title} from {C}.
  directed by {P}, with {P} and {P}
  the {nation} painter {P} ({F} to his friends)
  such as {L}, {L} and {L}
  Photo: {P}
  Watch {L} & {L} tonight!
  RT @{odd}: {P} is in {C} http://t.co/{odd}
  {F} laughs at everything
  where's {F}?
  i wonder if {F} will come to {C}
  omg {F} {L} is so funny
  follow me {F} please
  love you {F} !!!
  {C}: {P} pulls funding
  near {C}, in {C}, around {C}, from {C} to {C}
  i want to go to {C} from {C}
  concerts in {C} next week
  find me a bus to {C}
  It will be in {C}, {S}.
  {C}, {S} please
  {C} to {C}, {C} to {C}
  in the western city of {C}
  a village in {S} near {C}
  the river flows through {C} and {C}
  {C} is a town in {S}.
  the violence in {C} within 48 hours
  time in {C}
  what time is it in {S}
  if it is four in {C} what time is it in {S}
  from {C}⏎to {C}
  welcome to {C}
  visiting {C} Botanical Gardens
  originally from {C}, living in {S}
  I'm {P}, originally from {C}
  I moved, my new address is {A}
  the corner of {A}
  billing address {A}
  {P}⏎⏎{A}⏎{S}
  {P}⏎{O}⏎{n} {A}
  We'll meet {day} at {O}, {A}
  The bus stops at {A}
  {A} is where {F} lives
  {P} - {title} - {O}
  RSVP to {F} by {day}
  {"first":"{F}","last":"{L}"}
  {"payee":"{P}","iban":"x"}
  {"user":{"firstName":"{F}","town":"{C}"}}
  {"passenger":"{P}","from":"{C}","to":"{C}"}
  beneficiary: {P}⏎account: {n}
  user={F} ip=x action=login
  employee: {P}, location: {C}
  |{P}|{C}|{S}|
  "{L}, {F}","{C}"
  Emergency contact: {P} (sister)
  Guardian: {P}
  Please add {P} as guardian
  everyone calls me {F}
  under my partner's name {P}
  the card says {P}
  dear Mr {L}, your {word} is ready
  dear mrs {L}
  hello Mr {L}
  thank you Ms. {L} for the {word}
  ask dr {L} for a {word}
  {L} and {L} moved to {C}
  {L} agreed. Later {L} wrote to {F}.
  Wohnhaft in {A}.
  Wohnung in der {A}
`)
