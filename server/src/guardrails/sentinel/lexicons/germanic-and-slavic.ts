// German, Dutch, Polish and Russian words by class. `*` stands for the endings.

export const germanicAndSlavic = `
ignore: achte_nicht ausser_acht außer_acht beachte_nicht beachte_nicht_mehr befolge_nicht bez_względu_na doe_alsof
  folge_nicht hör_auf_zu_folgen höre_nicht_auf ignorier* ignorieren ignoruj* kümmere_dich_nicht laat_los lass_alle
  lasse_alle lekceważ let_niet_op luister_niet missacht* negeer negeert negeren nicht_beacht* nicht_befolg*
  nie_bierz_pod_uwagę nie_przestrzegaj nie_stosuj nie_słuchaj nie_zwracaj_uwagi niezależnie_od odrzuć ongeacht
  pomijaj pomijając pomiń przestań_przestrzegać schenk_geen_aandacht sla_over trek_je_niets_aan tu_als_ob tu_so_als
  unabhängig_von ungeachtet vergeet vergesse vergessen vergesst vergeten vergiss vernachlässig* volg_geen volg_niet
  widersetz* zapomnieć zapomnij zapomnijcie zignoruj* zlekceważ übergeh* überspring* забудь* забывай забыть игнорир*
  нарушь не_выполняй не_обращай_внимания не_обращайте_внимания не_подчиняйся не_принимай_во_внимание не_следуй
  не_следуйте не_слушай не_слушайся не_учитывай независимо_от отбрось перестань_следовать пренебрег* проигнорир*
drop: annuleer annulliere anuluj gooi_weg hebe_auf lösch lösche porzuć schrap skasuj streiche usuń verwerfe verwerft
  verwijder verwirf wis wymaż wyrzuć аннулируй отбрось отмени* сбрось сотри удали*
override: ersetz* nadpisz* overschrijf* setz_zurück verander* vervang* wijzig* zastąp* zmień zmodyfikuj änder*
  überschreib* überschreite замени* измени* перезапиши* переопредели* перепиши*
bypass: austricks* breche brich doorbreek hintergeh* naruszaj obejdź obejść omijaj omijając ominąć omiń omzeil*
  omzeilen ontwijk* overtreed umgeh* umgehen verletz* złam überwind* взломай наруш* обойди* обойти обходи*
disable: abschalten abstell* ausschalten deactiveer* deaktivier* deaktiviere dezaktywuj* entfern* heb hebe hef
  schakel schalt schalte setz_aus stell stelle uitschakel* usuń verwijder* wyłącz wyłącz* zablokuj zdejmij zet
  выключ* деактивир* отключ* сними снять убери* удали*
void: aufgehoben außer_kraft gelden_niet_meer geldt_niet_meer gelten_nicht_mehr gilt_nicht_mehr hinfällig irrelevant
  nicht_mehr_gültig nichtig nie_obowiązują nieaktualne niet_langer_van_toepassing nieważne ongeldig ungültig
  unieważnione vervallen аннулированы больше_не_действуют не_существует недействительн* отменены отменяются
  утратили_силу
instructions: aanwijzing* anleitung* anordnung* anweisung* aufforderung* befehl* bevel* commando* direktiv*
  dyrektyw* eingabeaufforderung* instructie* instrukcj* instruktion* komend* opdracht* poleceni* poleceń prompten
  richtlijn* richtlini* rozkaz* vorgab* weisung* wskazów* wytyczn* директив* инструкци* команд* наставлени*
  предписани* приказ* промпт* распоряжени* указани*
rules: regel* regels regulier* reguł regułami regułom reguły zasad* правил*
orders: angab* aufgab* taak zadani* задани* задач*
talk: bericht* gesprek* gespräch* kontekst* kontext* nachricht* rozmow* tekst* text texte unterhaltung* wiadomoś*
  беседа контекст* разговор* сообщени* текст*
everything: alle_ben allem alles alles_was alles_wat to_co wszystkim wszystko все все_что всем всё всё_что то_что
told: angewiesen aufgetragen besprochen besproken dano erhalten gegeben gegeven gekregen gelernt gesagt gezegd
  kazano kreeg otrzymał* podano powiedziane powiedziano powiedziałem verteld велели говорил* говорили дали дано
  обсуждали получил* сказал* сказано
above: bovenstaande das_obige het_bovenstaande obigen_text obiges powyższe вышеизложенное вышесказанное
  вышеуказанное
previous: bis_hierhin bis_jetzt bisher bisherig* bovenstaand* davor dotychczasow* dotąd eerder* erboven früher*
  hierboven hiervoor oben obenstehend* obig* oorspronkelijk* pierwotn* poprzedni* powyżej powyższ* przedtem
  tot_nu_toe uprzedni* ursprünglich* voorafgaand* voorgaand* vorangegangen* vorangehend* vorher vorhergehend*
  vorherig* vorig* vorige vorstehend* wcześniej wcześniejsz* zuvor выше вышеприведенн* вышестоящ* вышеуказанн*
  до_сих_пор до_этого изначальн* первоначальн* предшествующ* предыдущ* прежн* прошл* ранее раньше
all: alle alle_de allen aller elke ganze iedere jede jeglich* jegliche każd* sämtlich* wszelki* wszystk* весь все
  всеми всех всю каждое любые
your: dein* deine eure euren ihre ihren ihrer je jouw jullie swoich swoim swoje swoją swój twoich twoje twoją twój
  uw ваш ваши ваших вашу свои своих свой свою твои твоих твой твою
systemprompt: entwickleranweisung* entwicklerprompt* instrukcje_systemowe instrukcji_systemowych prompt_systemowy
  promptu_systemowego systeem_prompt systeembericht* systeeminstructi* systeemprompt* system_nachricht
  system_prompt* systemanweisung* systembefehl* systemmeldung* systemnachricht* systemow* systemprompt*
  wiadomości_systemowej wiadomość_systemowa инструкции_разработчика системн* системного_промпта системное_сообщение
  системные_инструкции системный_промпт системных_инструкций
safety: bezpieczeństw* censuur cenzur* ethik ethisch* etyczn* inhalt* inhaltsrichtlini* inhoud* moderacj*
  moderation* moral* moraln* moreel morele sicherheit* treści veiligheid* zensur безопасност* контент* модераци*
  моральн* цензур* этическ*
filter: beperking* beschränkung* blokad* einschränkung* filter* filtr* grenzen kontroll* maatregel* maßnahm*
  mechanism* ogranicze* protocol* protokoll* protokoł* regel* regels richtlijn* richtlini* schranken schutz* sperre*
  vorkehrung* wytyczn* zabezpiecz* zasad* барьер* запрет* защит* мер меры ограничени* политик* правил* протокол*
  фильтр*
safeguard: censuur cenzur* deine_beschränkungen deine_einschränkungen deine_filter inhaltsfilter* inhaltsrichtlini*
  inhoudsfilter* je_beperkingen jouw_beperkingen leitplanken schutzmechanism* sicherheitseinstellung*
  sicherheitsfilter* sicherheitsmaßnahm* sicherheitsmechanism* sicherheitsprotokoll* sicherheitsrichtlini*
  sicherheitsvorkehrung* veiligheidsfilter* veiligheidsmaatregel* veiligheidsregel* veiligheidsrichtlijn*
  zabezpiecze* zensur предохранител* цензур*
restriction: beperking* beschränkung* censuur cenzury einschränkung* ethiek ethik filter filters filtrów gewissen
  granic grenze grenzen hamulców hemmungen limieten limits limitów moraal moral moralności ogranicze* regel regeln
  regels reguł restriktion* skrupel tabus vorschriften zasad zensur границ запретов лимитов морали ограничени*
  правил рамок фильтров цензуры этики
not: bez frei_von geen kein* nicht nie niemals niet nigdy nooit ohne pozbawion* ungeachtet vrij_van wolny_od zonder
  żadnych żadnymi без лишен* не нет никакими никаких никогда свободен_от свободный_от
unrestricted: böse böser grenzenlos* hemmungslos* kwaadaardig* nieocenzurowan* nieograniczon* onbeperkt*
  ongecensureerd* ongefilterd* skrupellos* unbeschränkt* uneingeschränkt* ungefiltert* unzensiert* безграничн* злая
  злой неограниченн* нецензурируем*
refuse: ablehn* ablehnst ablehnt odmawia* verweiger* weiger* отказыва*
role: agiere doe_alsof du_bist gedraag je_bent jesteś odgrywaj schlüpf* sei simuleer simulier* speel spiel spiele
  stel_je_voor stell_dir_vor tu_so_als udawaj verhalte wciel* wees wyobraź_sobie zachowuj веди_себя действуй
  играй_роль изобрази представь притворись симулируй стань сыграй ты_больше ты_теперь
nowyou: ab_jetzt ab_sofort du_bist_jetzt du_bist_nun je_bent_nu je_bent_voortaan jesteś_teraz jij_bent_nu
  od_tej_chwili od_teraz teraz_jesteś vanaf_nu von_jetzt_an von_nun_an отныне с_этого_момента с_этой_минуты
  теперь_ты ты_теперь
ai: ai assistent* asystent* bot chatbot ki kunstmatige_intelligentie künstliche_intelligenz maschine model modelem
  modell sprachmodell sztuczn* taalmodel ассистент* бот ии искусственн* модель нейросеть помощник чат_бот
anything: alles jede_frage wszystko все всё любой_вопрос любые
answer: antwoord antworte antwortet beantwoord beantworte beantwortet odpowiada odpowiadaj odpowiedz ответь отвечает
  отвечай
mode: modus tryb wissensverifizierungsmodus режим*
powermode: boga entwickler god gott ontwikkelaar programisty wartungs администратора бога разработчика системный
tagword: systeem система системный_режим
grant: gehorche hasło moet musisz muss musst müssen passwort wachtwoord должен должны обязан пароль
benign: absatz akapit* bestand* błąd błęd* datei* email fehler fehlermeldung* fout fouten groß hoofdletter*
  kleinschreibung kolom* mail mails ostrzeże* plik* regelnummer spalte* waarschuwing* warnung* wiersz* zeile* ошибк*
  письм* предупрежд* строк* файл*
backwards: achterstevoren rückwärts wspak наоборот
partverb: beachte befolge folge gehorche halte höre volg
particle: nicht nicht_mehr niet niet_meer
claim: als_dein_schöpfer ich_bin_dein_entwickler ich_bin_der_präsident ich_bin_ein_entwickler ich_bin_gott
  ich_bin_ihr_entwickler ik_ben_god ik_ben_je_ontwikkelaar jestem_bogiem jestem_twoim_twórcą я_бог я_ваш_разработчик
  я_президент я_разработчик я_твой_разработчик
`
