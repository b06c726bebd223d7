// Values for templates, in addition to the name lists: well-known towns and countries, common names, and words that are
// not names.

export function parts(text: string): string[] {
  return text
    .trim()
    .split(/\s*,\s*/)
    .map(part => part.replace(/\s+/g, ' '))
    .filter(part => part !== '')
}

export const towns =
  parts(`New York, London, Paris, Berlin, Tokyo, San Francisco, Los Angeles, Chicago, Boston, Seattle, Austin, Denver,
  Houston, Dallas, Miami, Atlanta, Toronto, Vancouver, Montreal, Mexico City, Madrid, Barcelona, Lisbon, Rome, Milan, Vienna,
  Zurich, Geneva, Brussels, Amsterdam, Rotterdam, Copenhagen, Stockholm, Oslo, Helsinki, Dublin, Edinburgh, Manchester,
  Birmingham, Leeds, Bristol, Liverpool, Glasgow, Cardiff, Warsaw, Prague, Budapest, Athens, Istanbul, Moscow, Kyiv, Dubai,
  Cairo, Nairobi, Lagos, Cape Town, Mumbai, Delhi, Bangalore, Singapore, Hong Kong, Shanghai, Beijing, Seoul, Sydney,
  Melbourne, Auckland, Buenos Aires, São Paulo, Rio de Janeiro, Lima, Bogotá, Philadelphia, Phoenix, San Diego, San Jose,
  Portland, Las Vegas, Detroit, Nashville, New Orleans, Washington, Salt Lake City, Kansas City, St. Louis, Brooklyn,
  Manhattan, Queens, Heathrow, Hamburg, Munich, Frankfurt, Cologne, Stuttgart, Lyon, Marseille, Naples, Turin, Porto`)

export const countries =
  parts(`United States, USA, Canada, Mexico, Brazil, Argentina, Chile, Peru, Colombia, United Kingdom, UK, England,
  Scotland, Wales, Ireland, France, Germany, Spain, Italy, Portugal, Netherlands, Belgium, Switzerland, Austria, Poland,
  Czech Republic, Hungary, Greece, Turkey, Russia, Ukraine, Sweden, Norway, Denmark, Finland, Iceland, India, Pakistan,
  China, Japan, South Korea, Vietnam, Thailand, Indonesia, Malaysia, Philippines, Australia, New Zealand, South Africa,
  Nigeria, Kenya, Egypt, Morocco, Israel, Saudi Arabia, Iran, Iraq, Europe, Asia, Africa, California, Texas, Florida,
  New Jersey, Ohio, Illinois, Virginia, Washington, Oregon, Colorado, Arizona, Nevada, Georgia, Michigan, Massachusetts,
  Pennsylvania, North Carolina, Minnesota, Wisconsin, Ontario, Quebec, Bavaria, Tuscany, Catalonia, the Netherlands, U.S.`)

export const firstNames =
  parts(`james, john, robert, michael, william, david, richard, joseph, thomas, charles, daniel, matthew, anthony,
  mark, donald, steven, paul, andrew, joshua, kenneth, kevin, brian, george, edward, ronald, timothy, jason, jeffrey, ryan,
  jacob, gary, nicholas, eric, jonathan, stephen, larry, justin, scott, brandon, benjamin, samuel, frank, gregory, raymond,
  alexander, patrick, jack, dennis, jerry, mary, patricia, jennifer, linda, elizabeth, barbara, susan, jessica, sarah, karen,
  nancy, lisa, betty, margaret, sandra, ashley, kimberly, emily, donna, michelle, carol, amanda, melissa, deborah, stephanie,
  rebecca, laura, sharon, cynthia, kathleen, amy, angela, shirley, anna, brenda, pamela, emma, nicole, helen, samantha,
  maria, ahmed, mohammed, fatima, wei, li, ming, priya, raj, anil, sanjay, yuki, hiroshi, kenji, olga, ivan, dmitri, svetlana,
  pierre, marie, jean, hans, klaus, ingrid, sven, lars, anders, giulia, marco, luca, sofia, carlos, jose, juan, luis, ana,
  chen, omar, layla, aisha, kwame, amara, chidi, ngozi, tom, bob, alice, tim, joe, sam, max, ben, dan, mike, nick, chris, kate`)

export const surnames =
  parts(`smith, johnson, williams, brown, jones, garcia, miller, davis, rodriguez, martinez, hernandez, lopez,
  gonzalez, wilson, anderson, thomas, taylor, moore, jackson, martin, lee, perez, thompson, white, harris, sanchez, clark,
  ramirez, lewis, robinson, walker, young, allen, king, wright, scott, torres, nguyen, hill, flores, green, adams, nelson,
  baker, hall, rivera, campbell, mitchell, carter, roberts, patel, singh, kumar, sharma, khan, ali, chen, wang, zhang, liu,
  yang, kim, park, choi, tanaka, suzuki, sato, yamamoto, ivanov, petrov, novak, kowalski, müller, schmidt, schneider, fischer,
  weber, meyer, dubois, durand, moreau, rossi, russo, ferrari, silva, santos, oliveira, jansen, de vries, andersson, hansen`)

export const streetNames =
  parts(`Main, Oak, Maple, Cedar, Elm, Washington, Lake, Hill, Park, Pine, Church, High, Station, Mill, River, Spring,
  Old Mill, Green Valley, King's, Queen, Victoria, Market, North, 5th, 2nd, 42nd, First, Third, Sunset, Broadway, Meadow,
  Forest, Highland, Willow, Chestnut, Walnut, Lincoln, Jefferson, Franklin, Haupt, Bahnhof, Garten, Kerk, Dorp, Stor`)
export const streetEnds = parts(
  'Street, St, St., Avenue, Ave, Ave., Road, Rd, Lane, Ln, Drive, Dr, Court, Ct, Boulevard, Blvd, Way, Place, Terrace, Circle, Parkway, Square, Trail, Crescent',
)
export const units = parts('Apt, Apt., Suite, Ste, Unit, Flat, #, Floor, Room, apartment')
export const states = parts('CA, NY, TX, FL, WA, OR, MA, IL, PA, OH, GA, NC, VA, NJ, MI, AZ, CO, MN, TN, MD')
export const mailHosts = parts('example.com, gmail.com, acme.io, mail.org, corp.net, outlook.com')
export const companies =
  parts(`Google, Microsoft, Amazon, Apple, Facebook, Meta, IBM, Oracle, Intel, Nvidia, Tesla, Toyota, Siemens, Bosch,
  Samsung, Sony, Nestlé, Unilever, Pfizer, Walmart, Target, Costco, Starbucks, McDonald's, Deloitte, Accenture, KPMG, HSBC,
  Barclays, Goldman Sachs, Morgan Stanley, JPMorgan, Wells Fargo, Bank of America, Visa, Mastercard, Boeing, Airbus, Lufthansa,
  Harvard, Stanford, MIT, Oxford University, NASA, FBI, WHO, United Nations, European Union, Netflix, Spotify, Uber, Airbnb`)
export const companyEnds = parts(
  'Inc, Inc., Ltd, LLC, Corp, GmbH, Group, Holdings, Consulting, & Sons, Logistics, Partners, Bank, Technologies, Labs',
)

export const famousSurnames =
  parts(`Bush, Obama, Clinton, Trump, Biden, Reagan, Nixon, Kennedy, Lincoln, Blair, Thatcher, Churchill, Merkel, Putin, Stalin, Lenin,
  Hitler, Napoleon, Gandhi, Nehru, Mao, Mandela, Castro, Arafat, Sharon, Saddam, Kerry, Cheney, Rumsfeld, Powell, McCain, Romney, Sanders,
  Einstein, Newton, Darwin, Freud, Marx, Nietzsche, Kant, Hegel, Plato, Aristotle, Socrates, Galileo, Tesla, Edison, Shakespeare, Dickens,
  Tolstoy, Dostoevsky, Kafka, Joyce, Hemingway, Orwell, Twain, Poe, Austen, Woolf, Goethe, Dante, Homer, Mozart, Beethoven, Bach, Wagner,
  Chopin, Verdi, Picasso, Monet, Van Gogh, Rembrandt, Warhol, Hitchcock, Kubrick, Spielberg, Scorsese, Tarantino, Chaplin, Elvis, Lennon,
  McCartney, Dylan, Bowie, Madonna, Beyoncé, Rihanna, Adele, Bieber, Messi, Ronaldo, Beckham, Rooney, Federer, Nadal, Djokovic, Serena,
  Tiger Woods, Jordan, LeBron, Kobe, Brady, Bolt, Ali, Maradona, Pelé, Zidane, Schumacher, Hamilton, Musk, Bezos, Zuckerberg, Jobs, Gates`)
export const famousPeople =
  parts(`George Bush, Barack Obama, Bill Clinton, Hillary Clinton, Donald Trump, Joe Biden, Ronald Reagan, John F. Kennedy, Abraham
  Lincoln, Tony Blair, Winston Churchill, Angela Merkel, Vladimir Putin, Saddam Hussein, Nelson Mandela, Mahatma Gandhi, Albert Einstein,
  Isaac Newton, Charles Darwin, Karl Marx, Leonardo da Vinci, William Shakespeare, Charles Dickens, Leo Tolstoy, Franz Kafka, James Joyce,
  Ernest Hemingway, George Orwell, Mark Twain, Jane Austen, Virginia Woolf, Stephen King, J.K. Rowling, Wolfgang Amadeus Mozart, Pablo
  Picasso, Andy Warhol, Alfred Hitchcock, Steven Spielberg, Charlie Chaplin, Elvis Presley, John Lennon, Paul McCartney, Bob Dylan, David
  Bowie, Michael Jackson, Taylor Swift, Justin Bieber, Lady Gaga, Katy Perry, Britney Spears, Kanye West, Kim Kardashian, Miley Cyrus,
  Harry Styles, Ed Sheeran, Lionel Messi, Cristiano Ronaldo, David Beckham, Wayne Rooney, Roger Federer, Rafael Nadal, Serena Williams,
  Michael Jordan, LeBron James, Kobe Bryant, Tom Brady, Usain Bolt, Muhammad Ali, Elon Musk, Jeff Bezos, Mark Zuckerberg, Steve Jobs,
  Bill Gates, Tom Cruise, Brad Pitt, Angelina Jolie, Johnny Depp, Leonardo DiCaprio, Emma Watson, Morgan Freeman, Oprah Winfrey`)

/** Values of slots that are neither a person's name nor a place. */
export const lists: Record<string, string[]> = {
  tech: parts(`Python, Java, JavaScript, TypeScript, Ruby, Rust, Swift, Kotlin, Scala, Go, C++, C#, Perl, Haskell, Julia, R, MATLAB, Docker,
    Kubernetes, Jenkins, Travis, Django, Flask, FastAPI, Rails, Laravel, Spring Boot, Hibernate, React, Angular, Vue, Svelte,
    Node.js, Express, Postgres, PostgreSQL, MySQL, SQLite, MongoDB, Redis, Kafka, RabbitMQ, Cassandra, Elasticsearch, Kibana,
    Grafana, Prometheus, Terraform, Ansible, Puppet, Chef, Vagrant, Helm, Consul, Nomad, Vault, Nginx, Apache, Traefik, Envoy,
    Istio, AWS Lambda, Azure, Firebase, Supabase, Snowflake, Spark, Hadoop, Hive, Airflow, Pandas, NumPy, PyTorch, TensorFlow,
    Keras, Selenium, Cypress, Playwright, Jest, Mocha, JUnit, Gradle, Maven, Bazel, Webpack, Vite, Babel, Ubuntu, Debian,
    Fedora, Alpine, Windows, Android, Chrome, Firefox, Safari, Excel, PowerPoint, Outlook, Jira, Confluence, Notion, Figma,
    Unity, Unreal, Godot, Blender, Arduino, Raspberry Pi, Verilog, OpenAI, Claude, Gemini, Llama, Mistral, Copilot, Alexa,
    Siri, Cortana, LangChain, Streamlit, Gradio, Plotly, Tableau, Looker, Stripe, Shopify, Salesforce, WordPress, Joomla,
    Drupal, Magento, Lodash, Axios, Redux, Tailwind, Bootstrap, jQuery, Jupyter, Colab, Anaconda, Mercury, Apollo, Phoenix,
    Oracle, Aurora, Athena, Sidekiq, Celery, Gunicorn, Puma, Guava, Jackson, Gson, Mockito, Lombok, Avalonia, Xamarin, Marlin`),
  idea: parts(`Bayes' theorem, Dijkstra's algorithm, Newton's method, Euler's formula, a Fourier transform, a Markov chain, a Gaussian
    mixture, a Kalman filter, the Fibonacci sequence, a Bloom filter, a Monte Carlo simulation, the Nash equilibrium, a
    Turing machine, Moore's law, Conway's law, a Huffman tree, the Luhn algorithm, a Poisson process, Hooke's law, the
    Taylor series, Laplace smoothing, a Nyquist plot, Maslow's hierarchy, the Pareto principle, an AVL tree, Ohm's law,
    a Boolean expression, a Levenshtein distance, Kruskal's algorithm, the Doppler effect, a Petri dish, a Ponzi scheme`),
  head: parts(`Introduction, Overview, Getting Started, Table of Contents, Key Features, Next Steps, Summary, Conclusion, References,
    Requirements, Installation, Quick Start, Release Notes, Known Issues, Frequently Asked Questions, Terms of Service, Privacy
    Policy, User Guide, System Requirements, Data Model, Error Handling, Best Practices, Case Study, Executive Summary, Job
    Description, Learning Objectives, Materials and Methods, Results and Discussion, Business Plan, Lesson Plan, Project
    Charter, Statement of Work, Change Log, Unit Tests, Code Review, Risk Assessment, Market Analysis, Multiple Choice`),
  label:
    parts(`Save, Cancel, Submit, Log In, Sign Out, Sign Up, Next, Previous, Back, Continue, Delete, Edit, Add New, Search, Filter,
    Sort By, Select All, Clear, Apply, Reset, Close, Open File, New Project, Settings, Preferences, Account Settings, Change
    Password, First Name, Last Name, Full Name, Phone Number, Email Address, Date of Birth, Street Address, City, State, Zip
    Code, Country, Billing Address, Shipping Address, Order Number, Total Amount, Due Date, Start Date, End Date, Status,
    Pending, Approved, Rejected, In Progress, Done, High, Medium, Low, Enabled, Disabled, Dark Mode, Discover, Explore,
    Home, Dashboard, Inbox, Reports, Help Center, Contact Us, About Us, Font Name, Font Size, Text Color, Line Height`),
  scored: parts(
    'scored, scored twice, won, lost, finished fourth, retired hurt, returned, qualified, crashed, equalised, took the lead, missed, was sent off, hit the post, started, led, was injured',
  ),
  said: parts(
    'said, says, wrote, argued, claimed, replied, added, explained, told reporters, insisted, noted, warned, admitted, joked, recalled, announced, denied, believes, thinks, wants, agreed',
  ),
  kind: parts(
    'town, village, city, commune, municipality, hamlet, suburb, parish, district, county, province, port, island, civil parish, township, settlement, borough, region, department, resort, census-designated place',
  ),
  place: parts(
    'north, south, east, west, centre, banks, shores, edge, coast, hills, outskirts, middle, border, mouth, left bank',
  ),
  tosay: parts('say, write, mean, do, want, deny, promise'),
  made: parts(
    'wrote, directed, composed, painted, recorded, produced, published, released, designed, edited, translated, finished, sold, performed, filmed, illustrated',
  ),
  passive: parts(
    'written, directed, composed, painted, recorded, produced, published, designed, edited, translated, performed',
  ),
  thing: parts(
    'the film, his first novel, her second album, the opera, a play, the comedy, the series, a short story, the book, the single, the musical, a poem, the song, his last work, the ballet, the game',
  ),
  job: parts(
    'singer, painter, composer, politician, footballer, actress, actor, poet, novelist, historian, lawyer, farmer, teacher, soldier, physicist, chemist, architect, farmer, priest, journalist, engineer, spokesman, resident, witness, bishop',
  ),
  field:
    parts(`name, first_name, lastName, userName, city, address, status, title, id, created_at, price, quantity, color, font, fontName,
    label, value, type, category, description, mode, level, theme, region, country_code, plan, version, author, currency`),
  word: parts(`data, list, user, table, model, value, result, file, report, plan, design, system, market, client, request, response,
    server, project, budget, product, research, analysis, strategy, policy, contract, invoice, schedule, meeting, lesson, recipe`),
  title: parts(
    `manager, engineer, nurse, developer, teacher, analyst, designer, consultant, accountant, director, lawyer, plumber, CEO, CTO`,
  ),
  role: parts(
    'Admin, User, Customer, Client, Server, Manager, Guest, Student, Teacher, Operator, Owner, Buyer, Seller, Agent, System, Player, Patient, Doctor, Driver, Worker',
  ),
  nation: parts(
    'American, German, French, Italian, Spanish, Chinese, Japanese, Indian, Mexican, British, Dutch, Korean, Greek, Roman, English, European, Victorian, Latin',
  ),
  work: parts(`Hamlet, Romeo and Juliet, The Great Gatsby, Star Wars, Harry Potter, The Lord of the Rings, Game of Thrones, Pride and
    Prejudice, Moby Dick, Frankenstein, Dune, Inception, Breaking Bad, Minecraft, Pokemon, Zelda, Monopoly, the Bible, the Odyssey`),
  day: parts(
    'Monday, Tuesday, Wednesday, Thursday, Friday, Saturday, Sunday, January, February, March, April, May, June, July, August, September, October, November, December',
  ),
  var: parts(
    'x, i, n, result, data, items, users, total, count, index, name, node, root, head, left, right, key, value, row, col, df, arr, buf, ctx, req, res',
  ),
  cls: parts(`UserService, OrderController, HttpClient, DataFrame, ArrayList, HashMap, StringBuilder, FontName, ThreadPool, EventEmitter,
    AbstractFactory, NodeList, QueryBuilder, LoginForm, MainActivity, AppComponent, Customer, Employee, Person, Animal, Vehicle,
    Rectangle, BankAccount, Inventory, Student, Product, Invoice, Payment, Logger, Config, Parser, Lexer, Scheduler, Matrix`),
  fn: parts(
    'getName, save_user, parse, main, print, loadData, fetch_all, render, handleClick, computeTotal, read_csv, toString, insert, forward, fit, predict',
  ),
}
