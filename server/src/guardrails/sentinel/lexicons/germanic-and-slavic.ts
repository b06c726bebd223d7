// German, Dutch, Polish and Russian words by class. Knows no rule. `*` stands for the endings.

export const germanicAndSlavic = `
ignore: ignorier* vergiss vergesst vergessen vergesse missacht* übergeh* ausser_acht außer_acht überspring* folge_nicht
  befolge_nicht nicht_befolg* beachte_nicht nicht_beacht* höre_nicht_auf hör_auf_zu_folgen widersetz* lass_alle lasse_alle
  unabhängig_von ungeachtet vernachlässig* achte_nicht ignorieren beachte_nicht_mehr kümmere_dich_nicht tu_so_als tu_als_ob
  negeer negeren negeert vergeet vergeten sla_over volg_niet volg_geen let_niet_op luister_niet schenk_geen_aandacht
  ongeacht trek_je_niets_aan doe_alsof laat_los
  zignoruj* ignoruj* zapomnij zapomnieć zapomnijcie pomiń pomijaj pomijając nie_zwracaj_uwagi nie_przestrzegaj nie_stosuj
  nie_słuchaj zlekceważ lekceważ nie_bierz_pod_uwagę odrzuć przestań_przestrzegać bez_względu_na niezależnie_od
  игнорир* проигнорир* забудь* забыть забывай не_обращай_внимания не_обращайте_внимания не_следуй не_следуйте
  не_выполняй не_слушай не_слушайся отбрось пренебрег* не_учитывай не_принимай_во_внимание перестань_следовать
  независимо_от нарушь не_подчиняйся
drop: verwirf verwerfe verwerft lösche lösch streiche annulliere hebe_auf verwijder wis annuleer schrap gooi_weg usuń
  skasuj wymaż anuluj porzuć wyrzuć удали* сотри отмени* сбрось аннулируй отбрось
override: überschreib* ersetz* änder* setz_zurück überschreite vervang* overschrijf* wijzig* verander* zastąp* nadpisz*
  zmień zmodyfikuj замени* перезапиши* измени* перепиши* переопредели*
bypass: umgeh* überwind* umgehen hintergeh* austricks* brich breche verletz* omzeil* omzeilen ontwijk* overtreed doorbreek
  obejdź obejść omiń omijaj omijając ominąć złam naruszaj обойди* обойти обходи* наруш* взломай
disable: deaktivier* deaktiviere schalt schalte abschalten ausschalten entfern* abstell* stell stelle hebe heb setz_aus
  schakel uitschakel* deactiveer* zet verwijder* hef wyłącz* wyłącz dezaktywuj* usuń zdejmij zablokuj отключ* выключ* сними
  снять убери* деактивир* удали*
void: ungültig gelten_nicht_mehr gilt_nicht_mehr aufgehoben hinfällig irrelevant nichtig außer_kraft nicht_mehr_gültig
  ongeldig gelden_niet_meer geldt_niet_meer niet_langer_van_toepassing vervallen nieważne nieaktualne nie_obowiązują
  unieważnione больше_не_действуют недействительн* отменены отменяются не_существует аннулированы утратили_силу
instructions: anweisung* instruktion* befehl* vorgab* anleitung* direktiv* weisung* richtlini* anordnung* aufforderung*
  eingabeaufforderung* prompten instructie* opdracht* aanwijzing* richtlijn* bevel* commando* instrukcj* poleceni* poleceń
  dyrektyw* wytyczn* rozkaz* komend* wskazów* инструкци* указани* команд* директив* приказ* распоряжени* предписани*
  наставлени* промпт*
rules: regel* regulier* zasad* reguły regułami regułom reguł правил* regels
orders: aufgab* angab* taak zadani* задани* задач*
talk: text texte nachricht* gespräch* unterhaltung* kontext* tekst* bericht* gesprek* wiadomoś* rozmow* kontekst*
  текст* сообщени* разговор* контекст* беседа
everything: alles_wat alles allem alles_was alle_ben wszystko wszystkim to_co всё все_что всё_что все то_что всем
told: gesagt gegeben erhalten aufgetragen angewiesen gelernt besprochen verteld gezegd gekregen kreeg gegeven besproken
  powiedziano powiedziane powiedziałem kazano dano otrzymał* podano сказал* сказано говорил* говорили дали дано получил* велели
  обсуждали
above: das_obige obiges obigen_text het_bovenstaande bovenstaande powyższe вышеизложенное вышесказанное вышеуказанное
previous: hierboven erboven vorherig* vorig* bisherig* früher* vorangegangen* vorangehend* vorstehend* vorhergehend* zuvor vorher bisher
  davor oben obig* obenstehend* bis_jetzt bis_hierhin ursprünglich* eerder* vorige voorgaand* bovenstaand* tot_nu_toe
  hiervoor voorafgaand* oorspronkelijk* poprzedni* wcześniejsz* wcześniej powyższ* dotychczasow* uprzedni* przedtem
  dotąd powyżej pierwotn* предыдущ* прежн* прошл* ранее раньше предшествующ* выше вышестоящ* до_этого до_сих_пор
  изначальн* первоначальн* вышеуказанн* вышеприведенн*
all: alle aller allen sämtlich* jede jegliche jeglich* ganze alle_de elke iedere wszystk* wszelki* każd* все всех всеми
  любые каждое весь всю
your: dein* deine ihre ihren ihrer eure euren jouw je uw jullie swoje swoich swoim swój swoją twoje twoich twój twoją
  твои твоих твой твою свои своих свой свою ваши ваших ваш вашу
systemprompt: system_prompt* systemprompt* systemnachricht* system_nachricht systemanweisung* systemmeldung* entwickleranweisung*
  systembefehl* systeemprompt* systeem_prompt systeembericht* systeeminstructi* systemow* prompt_systemowy promptu_systemowego
  instrukcje_systemowe instrukcji_systemowych wiadomość_systemowa wiadomości_systemowej системн* системный_промпт
  системного_промпта системные_инструкции системных_инструкций системное_сообщение инструкции_разработчика entwicklerprompt*
safety: sicherheit* ethisch* ethik moral* inhalt* zensur moderation* inhaltsrichtlini* veiligheid* ethisch* moreel morele
  inhoud* censuur bezpieczeństw* etyczn* moraln* treści cenzur* moderacj* безопасност* этическ* моральн* контент* цензур*
  модераци*
filter: filter* richtlini* schutz* maßnahm* einschränkung* beschränkung* protokoll* regel* sperre* kontroll* mechanism*
  vorkehrung* schranken grenzen maatregel* beperking* richtlijn* protocol* regels filtr* ogranicze* zabezpiecz*
  wytyczn* zasad* protokoł* blokad* фильтр* ограничени* правил* протокол* мер меры защит* политик* запрет* барьер*
safeguard: sicherheitsfilter* sicherheitsrichtlini* sicherheitsmaßnahm* sicherheitsvorkehrung* inhaltsfilter* leitplanken
  schutzmechanism* zensur sicherheitsmechanism* sicherheitsprotokoll* sicherheitseinstellung* inhaltsrichtlini*
  deine_beschränkungen deine_einschränkungen deine_filter veiligheidsfilter* veiligheidsmaatregel* veiligheidsregel*
  veiligheidsrichtlijn* je_beperkingen jouw_beperkingen censuur inhoudsfilter* zabezpiecze* cenzur* цензур* предохранител*
restriction: einschränkung* beschränkung* grenze grenzen regel regeln limits filter moral ethik zensur tabus skrupel
  restriktion* vorschriften hemmungen gewissen beperking* grenzen regels filters moraal ethiek censuur limieten ogranicze*
  zasad reguł limitów granic filtrów moralności hamulców cenzury ограничени* правил границ фильтров морали цензуры
  запретов лимитов этики рамок
not: ohne kein* nie niemals frei_von nicht ungeachtet zonder geen niet nooit vrij_van bez żadnych żadnymi nie nigdy pozbawion*
  wolny_od без никаких никакими не никогда свободен_от свободный_от лишен* нет
unrestricted: uneingeschränkt* unzensiert* ungefiltert* grenzenlos* unbeschränkt* hemmungslos* skrupellos* böse böser onbeperkt*
  ongefilterd* ongecensureerd* kwaadaardig* nieograniczon* nieocenzurowan* неограниченн* нецензурируем* злой злая
  безграничн*
refuse: ablehn* verweiger* weiger* odmawia* отказыва* ablehnst ablehnt
role: spiel spiele verhalte stell_dir_vor tu_so_als sei agiere simulier* du_bist schlüpf* speel doe_alsof gedraag stel_je_voor
  je_bent wees simuleer udawaj zachowuj wyobraź_sobie jesteś wciel* odgrywaj симулируй притворись представь веди_себя
  действуй ты_теперь ты_больше сыграй играй_роль изобрази стань
nowyou: du_bist_jetzt du_bist_nun ab_jetzt ab_sofort von_nun_an von_jetzt_an je_bent_nu vanaf_nu jij_bent_nu je_bent_voortaan
  jesteś_teraz teraz_jesteś od_teraz od_tej_chwili ты_теперь теперь_ты отныне с_этого_момента с_этой_минуты
ai: ki künstliche_intelligenz assistent* sprachmodell modell bot chatbot maschine kunstmatige_intelligentie taalmodel model
  ai sztuczn* asystent* modelem model ии искусственн* ассистент* бот чат_бот нейросеть модель помощник
anything: alles jede_frage wszystko все всё любые любой_вопрос
answer: antworte beantworte beantwortet antwortet antwoord beantwoord odpowiadaj odpowiada odpowiedz отвечай отвечает ответь
mode: modus tryb режим* wissensverifizierungsmodus
powermode: entwickler gott wartungs ontwikkelaar god programisty boga разработчика бога системный администратора
tagword: система systeem системный_режим
grant: passwort wachtwoord hasło пароль должны musst müssen muss moet musisz должен обязан gehorche
benign: fehler fehlermeldung* warnung* zeile* spalte* datei* mail mails groß kleinschreibung email waarschuwing* fout
  fouten regelnummer bestand* hoofdletter* kolom* błąd błęd* ostrzeże* plik* wiersz* ошибк* предупрежд* файл* строк* письм*
  akapit* absatz
backwards: rückwärts achterstevoren wspak наоборот
partverb: beachte befolge folge halte höre volg gehorche
particle: nicht nicht_mehr niet niet_meer
claim: ich_bin_gott ich_bin_dein_entwickler ich_bin_ihr_entwickler ich_bin_ein_entwickler ich_bin_der_präsident als_dein_schöpfer ik_ben_god
  ik_ben_je_ontwikkelaar jestem_bogiem jestem_twoim_twórcą я_бог я_твой_разработчик я_ваш_разработчик я_разработчик я_президент
`
