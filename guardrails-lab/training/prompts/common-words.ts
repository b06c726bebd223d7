// Templates without names, filled with common English words: requests in lower case in the same words as those that have
// names, and headings, lists and code with capitals. The slots are those of fill.ts.

import { templatesIn } from './templates.ts'

export const commonWordTemplates = templatesIn(`
  what is {any} {any}
  how can i manage {any} {any} in {tech}
  how can manage max {any} {any}s ?⏎i want to add {any} but
  act like an {odd} expert and tell me how you can do {any} {any}
  tell me about {any} and {any}
  call the {any} function and send {any} to the {any}
  call {fn} and reply with {any}
  ring buffer for {any} {any}
  play the {any} video again
  play {any} music
  remind me to {any} the {any} on {day}
  email template for a {any} {any}
  email the {any} about the {any}
  send a message to the {any} saying we are late
  send {n} {any}s to the {any}
  who was the first {any}
  who invented the {any}
  name of the {any} please
  my name for the {any} is too long
  under the {any} of {any}
  it is {any}, not {any}
  yes {any} please
  is it {any} in the {any}
  in {any} and {any}
  from {any} to {any}
  find a {any} near the {any}
  where is the {any} located
  directions to the nearest {any}
  i live in a {any} near the {any}
  the {any} is called {odd}
  my {any} {any} is {any}
  songs about {any}
  write a poem about {any} and {any}
  write a letter about the {any} {any}
  thanks for the {any}
  thanks, {any} works now
  hi, {any} {any} please
  hello {any}
  dear {any} team
  dear all, the {any} is {any}
  let mut {any} = {fn}({any});
  *mut {any}, &mut {any}, &{any}
  unsafe { {fn}({any} as *mut {var}); }
  use {any}::{any}::{Any};
  use std::{any}::{self, {Any}};
  enum {Any} { {Any}, {Any}, {Any} }
  enum {Any}⏎  {Any}⏎  {Any}⏎  {Any}
  {Any}({any}: {Any}, {any}: {Any})
  {Any}.{any}({Any}.{Any})
  import {Any} from './{any}'
  class {Any}{Any}: pass
  {any}.{any} = {Any}
  --{any}={any} --{any} {Any}
  {any}_{any}: {Any}
  {"{any}": "{Any}", "{any}": "{Any} {any}"}
  {"text":"{Any}","coords":[[{n},{n}],[{n},{n}]]}
  {"text":"{odd}","coords":[[{n},{n}],[{n},{n}]]}
  {Any} {Any}
  {Any} {Any} {Any}
  {Any} {any}
  {Any}, {Any}, {Any} and {Any}
  - {Any}⏎- {Any} {any}⏎- {Any}
  1. {Any} {Any}⏎2. {Any} {Any}⏎3. {Any}
  {Any}: {Any}
  {Any} {Any}: {any} {any}
  {Any} {any} removed by {any}.⏎{Any} {Any} {odd} {Any} Update.
  **{Any} {Any}** - {any} the {any}
  # {Any} the {Any}
  ## {Any} and {Any}
  | {Any} | {Any} |⏎|---|---|⏎| {Any} | {n} |
  {Any},{Any},{Any}⏎{Any},{n},{Any}⏎{Any},{n},{Any}
  {Any}	{Any}	{Any}⏎{any}	{n}	{Any}
  Click {Any} {Any}. The {Any} opens.
  The {Any} {Any} is {any}.
  a dataset called {Any}. From the {Any} dataset, {any} it
  {Any} says {any}. {Any} means {any}.
  The {Any} of {Any}
  "{Any} {Any}" is a book about {any}.
  In {Any} {Any}, {any} the {any}.
  Q: {Any} {any}? A: {Any}
  Role: {Any} {Any}⏎Task: {Any} {any}
  What does {Any} {Any} mean?
  Options: {Any}, {Any}, {Any}, {Any}
  answer: {Any}
  {Any}! {Any} {any}!
  WARNING: {Any} {any}
  {Any}-{Any} {any}
  {any}-{odd} {any}
  [{Any}] {any} {any}
`)
