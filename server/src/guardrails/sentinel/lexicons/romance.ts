// Spanish, French, Italian and Portuguese words by class. Knows no rule. Accents may be written: they fold away.

export const romance = `
ignore: ignora ignorar ignore ignorad ignoren ignores ignorez ignorer ignorant ignorando ignori ignorate ignorare
  olvida olvidar olvide olvidad olviden olvidate olvídate_de haz_caso_omiso no_hagas_caso no_sigas no_obedezcas
  no_tengas_en_cuenta no_prestes_atención haz_como_si desatiende desobedece omite omitir prescinde pasa_por_alto
  deja_de_seguir no_haga_caso sin_tener_en_cuenta independientemente_de
  oublie oubliez oublier oublions ne_tiens_pas_compte ne_tenez_pas_compte ne_tiens_plus_compte ne_suis_pas ne_suis_plus
  ne_suivez_pas ne_suivez_plus fais_abstraction faites_abstraction n_obéis_pas n_obéis_plus désobéis ne_respecte_pas
  ne_respecte_plus passe_outre fais_comme_si néglige négligez laisse_tomber sans_tenir_compte indépendamment_de
  arrête_de_suivre cesse_de_suivre n_écoute_pas n_écoute_plus mets_de_côté
  dimentica dimenticare dimenticate dimenticati dimentichi non_seguire non_considerare non_tenere_conto trascura trascurare
  non_rispettare non_obbedire disobbedisci lascia_perdere smetti_di_seguire indipendentemente_da metti_da_parte
  esqueça esquece esquecer esqueçam esqueça_se desconsidere desconsidera desconsiderar ignorem não_siga não_sigas
  não_obedeça não_leve_em_conta desobedeça deixe_de_lado pare_de_seguir independentemente_das independentemente_de
  despreze descarte
drop: descarta descartar anula anular cancela cancelar borra borrar elimina eliminar abandona supprime supprimer efface
  effacer annule annuler abandonne écarte annulla annullare cancella cancellare elimina eliminare scarta apague
  apagar anule cancele exclua descarte
override: sustituye reemplaza cambia sobrescribe modifica reescribe remplace remplacer remplacez change modifie
  réécris écrase sostituisci sovrascrivi cambia riscrivi substitua substitui sobrescreva altere mude reescreva
bypass: evita elude eludir evade evadir burla salta saltate sáltate esquiva sortea rompe viola contourne contourner
  contournez échappe enfreins viole brise aggira aggirare eludi elude evita infrangi viola contorne contornar burle
  burlar drible viole quebre ultrapasse supera
disable: desactiva desactivar desactive desactiven apaga apagar deshabilita deshabilitar inhabilita quita quitar elimina
  suprime retira désactive désactiver désactivez éteins coupe enlève enlever supprime lève retire débranche
  disattiva disattivare disattivate disabilita disabilitare spegni spegnere rimuovi togli elimina desative desativar
  desligue desligar desabilite desabilitar remova suspenda suspends sospendi
void: ya_no_se_aplican ya_no_valen ya_no_son_válidas quedan_anuladas no_existiera no_existe ne_s_appliquent_plus n_est_plus_valable
  ne_sont_plus_valables n_existe_pas n_existait_pas annulées annulé non_valgono_più non_sono_più_valide
  não_valem_mais não_se_aplicam_mais não_existisse anuladas canceladas annullate
instructions: instrucción instrucciones instruction instructions istruzione istruzioni instrução instruções directiva
  directivas directrices directive directives direttiva direttive diretriz diretrizes consigne consignes indicación
  indicaciones indication indicazioni indicações orden órdenes ordre ordres ordine ordini ordem ordens comando comandos
  comandi commandes mandato prompt prompts orientações orientaciones invite
rules: regla reglas règle règles regola regole regra regras norma normas norme politique política políticas
orders: tarea tareas tâche tâches tarefa tarefas compito compiti
talk: texto texte testo mensaje mensajes message messages messaggio messaggi mensagem mensagens conversación conversation
  conversazione conversa contexto contexte contesto información información informations
everything: todo_lo_que todo_lo tout_ce_que tout_ce_qui tout_ce_qu tout tutto_ciò tutto_quello tutto_quanto tudo_o_que tudo
  cuanto quanto_detto lo_que ce_que ce_qui ce_qu ciò_che quello_che o_que todo_eso todo
told: dijeron dije dicho dijo ordenaron dit donné donnée données ordonné detto dette dato ricevuto stato_detto disseram
  dito disse recibido recibiste reçu reçues reçus ricevuti ricevute recebeu recebidas dado dada dadas hablado discutido
  han_dado te_dieron diste apprises
previous: anterior anteriores anteriormente previa previas previo previos antes arriba precedente precedentes
  précédent précédents précédente précédentes précédemment avant ci_dessus dessus antérieur antérieures jusqu_ici
  jusqu_à_présent auparavant plus_tôt préalables precedenti precedentemente prima sopra finora fino_ad_ora acima
  até_agora prévias prévia prévios hasta_ahora hasta_aquí originales initiales iniciales iniziali
all: todas todos toda tout toute toutes tous tutte tutti tutta todas_as todos_os cualquier qualsiasi qualquer
your: tu tus su sus ton ta tes votre vos tuo tua tuoi tue vostro vostre seu sua seus suas teu teus vuestras vuestros
systemprompt: prompt_del_sistema prompt_de_sistema mensaje_del_sistema mensaje_de_sistema instrucciones_del_sistema
  instrucciones_de_sistema indicaciones_del_sistema prompt_système prompt_du_système message_système
  message_du_système instructions_système instructions_du_système invite_système consigne_système consignes_système
  prompt_di_sistema messaggio_di_sistema istruzioni_di_sistema prompt_del_sistema prompt_do_sistema mensagem_do_sistema
  mensagem_de_sistema instruções_do_sistema instruções_de_sistema prompt_de_sistema instrucciones_del_desarrollador
  instrucciones_iniciales instructions_du_développeur istruzioni_dello_sviluppatore instruções_do_desenvolvedor
  instrucciones_ocultas prompt_initial prompt_inicial prompt_iniziale
safety: seguridad sécurité sicurezza segurança éticas éticos ética éthique éthiques etica etici etiche moral morales
  morali contenido contenu contenuto contenuti conteúdo moderación modération moderazione moderação censura censure
filter: filtro filtros filtre filtres filtri restricción restricciones restriction restrictions restrizione restrizioni
  restrição restrições medidas mesures misure protocolo protocolos protocoles protocolli límites limites limiti barrières
  barreras barriere política políticas politiques politiche políticas normas règles regole regras directrices
  garde_fous protections protecciones protezioni proteções controles contrôles controlli salvaguardas
safeguard: censura censure garde_fous garde_fou salvaguardas salvaguardias tus_filtros tus_restricciones tes_filtres
  tes_restrictions vos_restrictions vos_filtres tuoi_filtri tue_restrizioni seus_filtros suas_restrições tus_límites
  tes_limites tuoi_limiti seus_limites
restriction: restricción restricciones restriction restrictions restrizione restrizioni restrição restrições límite
  límites limite limites limiti limitación limitaciones limitazioni limitações regla reglas règle règles regola regole
  regra regras filtro filtros filtre filtres filtri censura censure moral morale ética éthique etica normas ataduras
  tabous tabúes vincoli contraintes
not: sin ninguna ningún ninguno sans aucune aucun senza nessun nessuna sem nenhuma nenhum libre_de libre_des libero_da livre_de
  ni ne né nem dépourvue dépourvu non não
unrestricted: 
         
      irrestricta irrestrito illimitata débridée débridé malvada maléfique
  malvagia malvagio
role: actúa actuar actúe finge fingir simula simular eres imagina interpreta conviértete compórtate juega agis joue
  imagine prétends fais_semblant incarne tu_es vous_êtes simule comporte_toi deviens agisci fingi fai_finta sei simula
  comportati interpreta immagina diventa aja finja és você_é simule interprete imagine comporte_se torne_se faça_de_conta
nowyou: ahora_eres a_partir_de_ahora desde_ahora de_ahora_en_adelante tu_es_maintenant vous_êtes_maintenant tu_es_désormais
  désormais à_partir_de_maintenant dorénavant ora_sei adesso_sei sei_ora d_ora_in_poi da_ora_in_poi da_questo_momento
  agora_você_é você_agora_é você_é_agora a_partir_de_agora de_agora_em_diante és_agora
ai: ia inteligencia_artificial intelligence_artificielle intelligenza_artificiale inteligência_artificial asistente
  assistant assistente modelo modèle modello bot chatbot robot
mode: modo modalità
powermode: desarrollador développeur sviluppatore desenvolvedor sistema système dios dieu dio deus anulación
grant: contraseña senha password mot_de_passe clave debes tienes_que dois devi deve vous_devez répondre obedece obéis obbedisci obedeça
tagword: sistema système
benign: correo correos courriel fichier fichiers archivo archivos erreur erreurs error errores avertissement avviso avvisi
  errore errori erro erros ligne lignes linha linhas línea líneas riga righe phrase frase receta ricetta majuscules
  mayúsculas maiuscole
answer: responde responder responda réponds répondre répond rispondi rispondere haz faz fais
anything: cualquier_cosa cualquier_pregunta n_importe_quoi n_importe_quelle_question qualsiasi_cosa qualsiasi_domanda
  qualquer_coisa qualquer_pergunta
claim: soy_dios soy_tu_desarrollador soy_un_desarrollador soy_el_presidente como_tu_creador je_suis_dieu je_suis_votre_développeur
  je_suis_ton_développeur je_suis_un_développeur je_suis_le_président en_tant_que_votre_créateur sono_dio sono_il_tuo_sviluppatore
  sono_uno_sviluppatore sono_il_presidente sou_deus sou_o_teu_desenvolvedor sou_seu_desenvolvedor sou_um_desenvolvedor sou_o_presidente
`
