// Templates of tables, forms and blocks of addresses, and of tables without any name. The slots are those of fill.ts.

import { templatesIn } from './templates.ts'

export const recordTemplates = templatesIn(`
  {B}
  {P}⏎{B}
  {P}⏎{N}⏎{B}
  {N}⏎{B}
  {N}⏎{B}⏎{mail}
  Mr {P}⏎{B}
  Herrn⏎{P}⏎{B}
  Mme {P}⏎{B}
  Ship to:⏎{P}⏎{B}
  Bill to:⏎{N}⏎{P}⏎{B}⏎⏎Order {n}
  Address:⏎{B}
  Our address is:⏎⏎{B}
  Return to⏎{B}
  Contact⏎{P}⏎{title}⏎{N}⏎{B}⏎Tel. {n} {n}
  {P} lives at {b}.
  Please deliver to {b}
  I moved from {b} to {b}.
  billing address {b}
  The shop at {b} is closed.
  {P}, {b}
  {P};{b};{n}
  address,{b}
  {"name":"{P}","address":"{b}"}
  Address: {b}⏎Phone: {n}
  We meet at {b}, {day}
  Visit us: {b}
  {N}, {b}
  id	name	city⏎{n}	{P}	{C}⏎{n}	{P}	{C}
  Name	City	Country⏎{P}	{C}	{S}⏎{P}	{C}	{S}
  {P}	{C}	{n}⏎{P}	{C}	{n}
  {L}	{F}	{C}⏎{L}	{F}	{C}
  {L}, {F}	{n}	{title}⏎{L}, {F}	{n}	{title}
  city;country;sales⏎{C};{S};{n}⏎{C};{S};{n}⏎{C};{S};{n}
  {C},{n}⏎{C},{n}⏎{C},{n}
  {P},{C},{n}⏎{P},{C},{n}
  {P};{C};{n}⏎{P};{C};{n}
  name,town,total⏎{P},{C},{n}⏎{P},{C},{n}
  name,city,amount⏎{P},{C},{n}
  customer,town,balance⏎{P},{C},{n}⏎{P},{C},{n}⏎{P},{C},{n}
  Name,City,Age⏎{P},{C},{n}⏎{P},{C},{n}
  member,home town,points⏎{P},{C},{n}⏎{P},{C},{n}
  payer,place,paid,due⏎{P},{C},{n},{n}⏎{P},{C},{n},{n}
  date,driver,depot,km⏎{n},{P},{C},{n}⏎{n},{P},{C},{n}
  "name","city","amount"⏎"{P}","{C}",{n}⏎"{P}","{C}",{n}
  first,last,town,amount⏎{F},{L},{C},{n}⏎{F},{L},{C},{n}
  name, town, amount⏎{P}, {C}, {n}⏎{P}, {C}, {n}
  name;town;amount⏎{P};{C};{n}⏎{P};{C};{n}
  Kunde;Stadt;Summe⏎{P};{C};{n}⏎{P};{C};{n}
  nom;ville;montant⏎{P};{C};{n}⏎{P};{C};{n}
  client	town	owed⏎{P}	{C}	{n}⏎{P}	{C}	{n}
  Runner	Town	Minutes⏎{P}	{C}	{n}⏎{P}	{C}	{n}⏎{P}	{C}	{n}
  product,colour,price⏎{label},{label},{n}⏎{label},{label},{n}
  scorer,club,goals⏎{P},{N},{n}⏎{P},{N},{n}
  {S}	{n}	{n}⏎{S}	{n}	{n}
  rank,player,club⏎1,{P},{N}⏎2,{P},{N}
  | Player | Club | Goals |⏎|---|---|---|⏎| {L} | {N} | {n} |⏎| {L} | {N} | {n} |
  | {P} | {N} | {C} |
  |{L}|{F}|{n}|
  | Product | Price | Status |⏎|---|---|---|⏎| {label} | {n} | {label} |⏎| {label} | {n} | {label} |
  | Company | Office |⏎|---|---|⏎| {N} | {C} |⏎| {N} | {C} |
  company,founder,city⏎{N},{P},{C}⏎{N},{P},{C}
  company	status	amount⏎{N}	{label}	{n}⏎{N}	{label}	{n}
  {label}	{n}	{label}⏎{label}	{n}	{label}
  {field},{field}⏎{label},{label}⏎{label},{label}
  item;qty;note⏎{word};{n};{label}⏎{word};{n};{label}
  {cls}	{n}	{tech}⏎{cls}	{n}	{tech}
  {head}	{n}⏎{head}	{n}
  name: {F}⏎surname: {L}⏎born: {C}
  First name: {F}⏎Last name: {L}⏎Employer: {N}⏎Place of birth: {C}, {S}
  Vorname: {F}⏎Nachname: {L}⏎Ort: {C}
  Nom: {L}⏎Prénom: {F}⏎Ville: {C}
  Employer: {N}⏎Supervisor: {P}
  Sender: {N}⏎Receiver: {P}, {C}
  Patient {L}, {F}, ward {n}, seen by Dr. {L}
  Insured: {P}⏎Insurer: {N}
  Plaintiff: {P}⏎Defendant: {N}
  {P} v. {N}
  Lender: {N}⏎Borrower: {N}⏎By: {P}
  Name: {P}⏎Title: {title}⏎{N}
  /s/ {P}⏎{P}⏎{title}
  Driver: {P}⏎From: {C}⏎To: {C}
  origin={C} destination={C} passenger="{P}"
  {"company":"{N}","contact":{"first":"{F}","last":"{L}"},"hq":"{C}"}
  {"employer":"{N}","status":"{label}"}
  {"team":"{N}","captain":"{P}"}
  {"route":["{C}","{C}","{C}"]}
  <name>{P}</name><town>{C}</town><org>{N}</org>
  <td>{P}</td><td>{N}</td><td>{C}</td>
  <td>{label}</td><td>{n}</td><td>{label}</td>
  author = {{L}, {F} and {L}, {F}}, publisher = {{N}}, address = {{C}}
  - {P} ({N})⏎- {P} ({N})⏎- {P} ({C})
  1. {P}, {C}⏎2. {P}, {C}⏎3. {P}, {C}
  * {C}⏎* {C}⏎* {C}
  * {F}⏎* {F}⏎* {F}
  * {N}⏎* {N}⏎* {N}
  {C} {n}⏎{C} {n}⏎{C} {n}
  {C}: {n}⏎{C}: {n}
  {P}: {n}⏎{P}: {n}
`)
