// The words of slugs: lower-case, three to nine letters, and inoffensive in any combination.

export const adjectives: readonly string[] = words(`
  agile airy alpine amber amiable ample ancient arctic ardent astral atomic autumn azure balmy beaming blissful blithe
  bold bonny brave breezy bright brisk bronze bubbly calm candid careful caring casual cheerful chilly chipper civic
  clean clear clever cloudy coastal cobalt coral cosmic cosy courtly crafty crimson crisp crystal daily dainty dapper
  daring dazzling deft dewy diligent distant dreamy dulcet eager early earnest earthy eastern easy elated electric
  elegant emerald eminent endless epic equal eternal ethereal even exact fabled fair faithful famous fancy fearless
  festive fine fleet floral fluent flying fond forest fragrant frank free fresh friendly frosty gallant gentle genuine
  gifted gilded glad gleaming glossy glowing golden graceful grand grassy grateful handy happy hardy harmonic hazel
  hazy hearty helpful hidden honest hopeful humble icy ideal indigo inland ivory jade jaunty jolly jovial joyful
  jubilant keen kind kindly lasting lavender leafy light lilac limber lively lofty loyal lucid lucky lunar lush
  lyrical magic majestic maple marine mellow merry mighty mild mindful minty misty modest morning mossy musical mystic
  neat nimble noble northern novel opal orderly organic pacific pastel patient peaceful pearly placid playful plucky
  poetic polar polished polite prairie precise pretty prime prompt proper proud prudent quaint quick quiet radiant
  rapid ready regal restful rhythmic robust rosy royal ruby rugged rural rustic sage sandy sapphire savvy scarlet
  scenic secure serene shady sharp shining shiny silent silken silver simple sincere skilful smart smiling smooth
  snowy snug social solar solid sonic southern spirited splendid sprightly spring spruce spry stable starry steady
  stellar sterling stoic stormy strong sturdy subtle summer sunlit sunny superb sure swift tactful tawny teal thankful
  tidal tidy timely topaz tranquil trim true trusty tuneful unique upbeat upright urban valiant valid velvet verdant
  vibrant violet vivid vocal warm wavy western willing windy winter wise witty woodland woolly worthy zealous zesty
`)

export const nouns: readonly string[] = words(`
  acorn albatross alder almond anchor antelope anvil apple apricot arbor arch aspen aster atlas atoll avocet badger
  bamboo banjo banner barley basil basin bay beacon beech bell berry birch bison bluebell bobcat bonfire boulder
  bramble breeze bridge brook buffalo butterfly cabin cactus camel camellia canal candle canoe canyon caravan cardinal
  caribou cascade castle cedar cello chamois cheetah chestnut chimney cinnamon citadel citrus clarinet cliff cloud
  clover coast comet compass condor copper coral corner cottage cougar cove crane crater cricket crocus crystal curlew
  cypress daffodil dahlia daisy delta dolphin dove dragonfly dune eagle echo egret elk elm ember emu falcon feather
  fennel fern field finch fir firefly fjord flamingo flax flint flute foothill forest fountain fox gadwall galaxy
  garden garnet gazelle gecko geyser ginger glacier glade goldfinch gorge granite grove hamlet harbor harp harvest
  hawk hawthorn hazel heather hedge heron hickory hill holly horizon ibex ibis iris island ivy jacaranda jackdaw
  jaguar jasmine jasper jetty juniper kestrel keystone kingfish kite koala lagoon lake lantern larch lark laurel
  lavender leaf ledge lemur leopard lichen lilac lily linden linnet lion llama lotus lupine lynx macaw magnolia magpie
  mallard mandolin mango maple marble marigold marina marlin marmot marsh marten meadow meerkat meteor mill mimosa
  mint mistral moon moose moss mountain mulberry narwhal nebula nectar nutmeg oak oasis ocean ocelot olive onyx orca
  orchard orchid oriole osprey otter owl oyster paddle palm panda panther papaya parsley pebble pelican penguin peony
  pepper petal pheasant pine pinnacle planet plateau plover plum poppy prairie primrose prism puffin puma quail quarry
  quartz quill rabbit raven redwood reed reef rhubarb ridge river robin rocket rosemary rowan saffron sail salmon
  sandstone sapling savanna sequoia shore skylark sloop snowdrop sparrow spinnaker spring spruce squirrel starling
  stone stork stream sunflower sunrise swan swift sycamore tamarind tangerine teal tern thicket thistle thrush thunder
  thyme tiger timber torrent toucan trail trellis tulip tundra turtle valley vanilla viola violet walnut walrus
  warbler waterfall willow wind wombat woodlark wren yarrow zebra zephyr zinnia
`)

function words(text: string): string[] {
  return text.trim().split(/\s+/)
}
