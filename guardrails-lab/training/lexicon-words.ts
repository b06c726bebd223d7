// The tagger's known words by kind, in addition to the name lists: titles and particles, streets, units, products,
// months. In lower case.

function words(text: string): string[] {
  return text.trim().split(/\s+/)
}

export const titleWords =
  words(`mr mrs ms miss dr doctor prof professor sir madam lord lady captain capt sgt sergeant lt lieutenant
  colonel col major general president senator sen rep governor mayor judge justice king queen prince princess pope bishop
  father sister brother uncle aunt auntie coach chef detective officer inspector minister chancellor secretary saint herr frau
  señor señora sr sra monsieur madame mme signor signora dott ing mx rev reverend rabbi imam sheikh dame mister missus
  van den der de du da di do dos das del della della la le von zu zum ter ten te bin ibn al el abu af av y e san santa o`)

export const kinWords =
  words(`wife husband son daughter mother mom mum dad father brother sister friend boss manager colleague
  partner girlfriend boyfriend fiance fiancee cousin nephew niece uncle aunt grandma grandpa neighbor neighbour landlord
  tenant roommate flatmate teacher student client customer patient employee candidate applicant nurse therapist lawyer
  attorney accountant assistant supervisor coworker teammate colleague colleagues twins kid baby spouse stepfather stepmother
  guest driver recruiter interviewer author contact user beneficiary payee`)

export const nameCueWords =
  words(`name named called dear hi hello hey regards sincerely cheers thanks from to cc bcc attn attention
  signed sender recipient author assignee reporter owner contact customer client patient employee username fullname firstname
  lastname surname first last full middle maiden nickname alias reviewer approver attendee attendees participants speaker
  host guest beneficiary payee cardholder holder passenger manager by under with for meet met know tell ask call email
  contacted said says told wrote asked replied speaking am i'm im`)

export const streetWords =
  words(`street st str avenue ave av road rd lane ln drive dr court ct circle cir boulevard blvd way
  place pl terrace ter trail trl parkway pkwy highway hwy square sq plaza alley aly crescent cres close mews row walk grove
  gardens gdns hill heights hts loop path pike point run ridge crossing xing bend cove park view vista green rise yard wharf
  quay expressway freeway turnpike route rte causeway junction mill mills estates manor meadows meadow summit springs
  strasse straße gasse platz weg allee ufer damm ring rue chemin impasse quai boulevard calle avenida carrera paseo
  plazuela camino via viale piazza corso vicolo largo rua travessa praça estrada straat laan plein gracht kade dijk steenweg
  gatan gata vägen väg vej gade gate veien katu tie kuja polku ulica ul ulice aleja al plac utca út tér körút marg nagar`)

export const unitWords =
  words(`apt apartment suite ste unit flat floor fl room rm bldg building block blk lot house level
  penthouse ph box bin office door tower wing apto piso #`)

export const calendarWords =
  words(`january february march april may june july august september october november december jan feb
  mar apr jun jul aug sep sept oct nov dec monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur
  thurs fri sat sun spring summer autumn fall winter christmas easter thanksgiving halloween ramadan diwali hanukkah new year
  eve today tomorrow yesterday`)

export const organisationWords =
  words(`inc ltd llc corp co corporation company gmbh ag sa nv bv plc llp lp group holdings bank university
  college school institute hospital foundation association department ministry agency committee council church club team
  fc united city records studios pictures media news times post journal magazine press society union party league trust
  partners capital ventures technologies systems software solutions services industries international enterprises labs`)

export const stateWords =
  words(`al ak az ar ca co ct de fl ga hi id il in ia ks ky la me md ma mi mn ms mo mt ne nv nh nj nm ny nc nd oh
  ok or pa ri sc sd tn tx ut vt va wa wv wi wy dc pr ab bc mb nb nl ns nt nu on pe qc sk yt nsw vic qld act tas uk usa us eu uae ap ae aa`)

/** Names with a capital that are not names of people or places. */
export const productWords =
  words(`python java javascript typescript ruby rust swift kotlin scala perl haskell elixir erlang clojure
  julia lua dart fortran cobol matlab octave pascal ada lisp scheme prolog groovy golang php bash powershell html css sql xml
  json yaml toml csv latex markdown regex api rest graphql grpc http https tcp udp ip dns ssh ssl tls jwt oauth saml ldap
  react angular vue svelte next nuxt node nodejs deno bun express fastify django flask fastapi rails laravel symfony spring
  hibernate struts tomcat jetty nginx apache caddy traefik envoy istio consul vault terraform ansible puppet chef jenkins
  travis circleci github gitlab bitbucket git mercurial svn docker kubernetes helm podman vagrant aws azure gcp lambda ec2 s3
  dynamodb aurora redshift athena glue kinesis sqs sns cloudfront cloudwatch heroku vercel netlify firebase supabase mongodb
  mongo postgres postgresql mysql mariadb sqlite oracle redis memcached cassandra couchbase neo4j elastic elasticsearch kibana
  logstash grafana prometheus loki jaeger zipkin datadog splunk sentry kafka rabbitmq celery airflow dagster spark hadoop hive
  flink beam snowflake databricks pandas numpy scipy sklearn keras tensorflow pytorch torch jax theano caffe onnx cuda opencv
  matplotlib seaborn plotly streamlit gradio jupyter colab anaconda conda pip poetry npm yarn pnpm webpack vite rollup babel
  eslint prettier jest mocha chai cypress selenium playwright puppeteer junit pytest gradle maven bazel cmake make ninja gcc
  clang llvm linux ubuntu debian fedora centos redhat arch alpine windows macos ios android chrome firefox safari edge opera
  excel word powerpoint outlook sharepoint teams slack discord zoom jira confluence notion trello asana figma photoshop
  illustrator unity unreal godot blender arduino raspberry esp32 stm32 verilog vhdl openai anthropic claude gemini gpt chatgpt
  llama mistral copilot bard alexa siri cortana whatsapp telegram instagram facebook twitter linkedin youtube tiktok reddit
  spotify netflix uber paypal stripe shopify salesforce hubspot zendesk sap workday tableau looker segment mixpanel amplitude
  twilio sendgrid mailchimp okta auth0 keycloak cloudflare fastly akamai fibonacci dijkstra euler gauss bayes bayesian newton
  fourier laplace markov poisson bernoulli boolean hamming huffman turing gaussian kalman monte carlo caesar vigenere luhn`)

export const nationWords =
  words(`american americans african africans asian asians european europeans english british britons irish scottish scots welsh
  french german germans austrian austrians swiss dutch belgian belgians danish danes swedish swedes norwegian norwegians
  finnish finns icelandic polish poles czech czechs slovak slovaks hungarian hungarians romanian romanians bulgarian serbian
  serbs croatian croats slovenian bosnian albanian greek greeks turkish turks russian russians ukrainian ukrainians georgian
  armenian italian italians spanish spaniards portuguese catalan basque mexican mexicans brazilian brazilians argentine
  argentinian chilean peruvian colombian venezuelan cuban canadian canadians australian australians indian indians pakistani
  pakistanis bangladeshi nepali chinese taiwanese japanese korean koreans vietnamese thai indonesian malaysian filipino
  filipinos singaporean israeli israelis palestinian palestinians arab arabs arabic arabian iraqi iraqis iranian iranians
  persian syrian syrians lebanese jordanian saudi saudis yemeni egyptian egyptians libyan moroccan algerian tunisian
  sudanese ethiopian somali kenyan nigerian nigerians ghanaian kurdish kurds afghan afghans muslim muslims islamic sunni
  sunnis shia shiite shiites christian christians catholic catholics protestant jewish jews hindu hindus buddhist buddhists
  sikh latin latino latinos hispanic roman romans viking celtic soviet nazi nazis communist democrat democrats republican
  republicans victorian gothic byzantine ottoman mandarin cantonese hebrew hindi urdu tamil bengali punjabi swahili`)

/** Well-known places, in addition to the list of countries and regions. */
export const famousPlaces =
  `us, usa, uk, uae, eu, u.s., u.k., u.s.a., nyc, la, dc, sf, lax, sfo, jfk, lhr, nz, europe, asia, africa, america, americas,
  north america, south america, latin america, middle east, far east, south east asia, scandinavia, balkans, siberia,
  caribbean, mediterranean, pacific, atlantic, gulf coast, west coast, east coast, bay area, new england,
  silicon valley, london, paris, berlin, munich, hamburg, frankfurt, cologne, vienna, zurich, geneva, rome, milan,
  naples, turin, venice, florence, madrid, barcelona, valencia, seville, lisbon, porto, amsterdam, rotterdam,
  the hague, brussels, antwerp, dublin, belfast, edinburgh, glasgow, cardiff, manchester, birmingham, liverpool,
  leeds, sheffield, bristol, oxford, cambridge, brighton, copenhagen, stockholm, gothenburg, oslo, bergen, helsinki,
  reykjavik, warsaw, krakow, prague, budapest, bucharest, sofia, belgrade, zagreb, athens, istanbul, ankara, moscow,
  st petersburg, saint petersburg, kiev, kyiv, minsk, tbilisi, baku, new york, new york city, los angeles, chicago,
  houston, phoenix, philadelphia, san antonio, san diego, dallas, san jose, austin, jacksonville, san francisco,
  columbus, indianapolis, seattle, denver, boston, detroit, nashville, memphis, portland, las vegas, baltimore,
  milwaukee, albuquerque, tucson, fresno, sacramento, atlanta, miami, oakland, minneapolis, tulsa, tampa,
  new orleans, cleveland, pittsburgh, cincinnati, st. louis, orlando, salt lake city, honolulu, anchorage, brooklyn,
  manhattan, queens, bronx, harlem, hollywood, toronto, montreal, vancouver, ottawa, calgary, edmonton, winnipeg,
  halifax, mexico city, havana, bogota, lima, quito, caracas, santiago, buenos aires, montevideo, rio de janeiro,
  sao paulo, brasilia, cairo, alexandria, lagos, abuja, accra, nairobi, addis ababa, johannesburg, cape town, durban,
  casablanca, tunis, algiers, tripoli, khartoum, jerusalem, tel aviv, gaza, beirut, damascus, amman, baghdad, tehran,
  riyadh, jeddah, mecca, doha, dubai, abu dhabi, kuwait, kabul, karachi, lahore, islamabad, delhi, new delhi, mumbai,
  bombay, bangalore, bengaluru, chennai, hyderabad, kolkata, calcutta, pune, dhaka, colombo, kathmandu, beijing,
  shanghai, shenzhen, guangzhou, hong kong, macau, taipei, tokyo, osaka, kyoto, seoul, busan, pyongyang, bangkok,
  phuket, hanoi, saigon, ho chi minh city, singapore, kuala lumpur, jakarta, bali, manila, sydney, melbourne,
  brisbane, perth, adelaide, canberra, auckland, wellington, kashmir, tibet, darfur, crimea, chechnya, kurdistan,
  palestine, west bank, england, scotland, wales, northern ireland, great britain, britain, kosovo, taiwan,
  puerto rico, hawaii, alaska, heathrow, gatwick, wall street, white house, times square, central park,
  downing street`.split(/\s*,\s*/)
