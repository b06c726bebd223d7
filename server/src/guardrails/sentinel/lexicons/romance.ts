// Spanish, French, Italian and Portuguese words by class. Accents are optional here: they are folded.

export const romance = `
ignore: arrête_de_suivre cesse_de_suivre deixe_de_lado deja_de_seguir desatiende descarte desconsidera desconsiderar
  desconsidere desobedece desobedeça despreze dimentica dimenticare dimenticate dimenticati dimentichi disobbedisci
  désobéis esquece esquecer esqueça esqueça_se esqueçam fais_abstraction fais_comme_si faites_abstraction
  haz_caso_omiso haz_como_si ignora ignorad ignorando ignorant ignorar ignorare ignorate ignore ignorem ignoren
  ignorer ignores ignorez ignori independentemente_das independentemente_de independientemente_de
  indipendentemente_da indépendamment_de laisse_tomber lascia_perdere mets_de_côté metti_da_parte n_obéis_pas
  n_obéis_plus n_écoute_pas n_écoute_plus ne_respecte_pas ne_respecte_plus ne_suis_pas ne_suis_plus ne_suivez_pas
  ne_suivez_plus ne_tenez_pas_compte ne_tiens_pas_compte ne_tiens_plus_compte no_haga_caso no_hagas_caso
  no_obedezcas no_prestes_atención no_sigas no_tengas_en_cuenta non_considerare non_obbedire non_rispettare
  non_seguire non_tenere_conto não_leve_em_conta não_obedeça não_siga não_sigas néglige négligez olvida olvidad
  olvidar olvidate olvide olviden olvídate_de omite omitir oublie oublier oubliez oublions pare_de_seguir
  pasa_por_alto passe_outre prescinde sans_tenir_compte sin_tener_en_cuenta smetti_di_seguire trascura trascurare
drop: abandona abandonne annule annuler annulla annullare anula anular anule apagar apague borra borrar cancela
  cancelar cancele cancella cancellare descarta descartar descarte efface effacer elimina eliminar eliminare exclua
  scarta supprime supprimer écarte
override: altere cambia change modifica modifie mude reemplaza reescreva reescribe remplace remplacer remplacez
  riscrivi réécris sobrescreva sobrescribe sostituisci sovrascrivi substitua substitui sustituye écrase
bypass: aggira aggirare brise burla burlar burle contornar contorne contourne contourner contournez drible elude
  eludi eludir enfreins esquiva evade evadir evita infrangi quebre rompe salta saltate sortea supera sáltate
  ultrapasse viola viole échappe
disable: apaga apagar coupe desabilitar desabilite desactiva desactivar desactive desactiven desativar desative
  deshabilita deshabilitar desligar desligue disabilita disabilitare disattiva disattivare disattivate débranche
  désactive désactiver désactivez elimina enlever enlève inhabilita lève quita quitar remova retira retire rimuovi
  sospendi spegnere spegni supprime suprime suspenda suspends togli éteins
void: annullate annulé annulées anuladas canceladas n_est_plus_valable n_existait_pas n_existe_pas
  ne_s_appliquent_plus ne_sont_plus_valables no_existe no_existiera non_sono_più_valide non_valgono_più
  não_existisse não_se_aplicam_mais não_valem_mais quedan_anuladas ya_no_se_aplican ya_no_son_válidas ya_no_valen
instructions: comandi comando comandos commandes consigne consignes directiva directivas directive directives
  directrices diretriz diretrizes direttiva direttive indicaciones indicación indication indicazioni indicações
  instrucciones instrucción instruction instructions instrução instruções invite istruzione istruzioni mandato ordem
  orden ordens ordine ordini ordre ordres orientaciones orientações prompt prompts órdenes
rules: norma normas norme politique política políticas regla reglas regola regole regra regras règle règles
orders: compiti compito tarea tareas tarefa tarefas tâche tâches
talk: contesto contexte contexto conversa conversación conversation conversazione información informations mensagem
  mensagens mensaje mensajes message messages messaggi messaggio testo texte texto
everything: ce_qu ce_que ce_qui ciò_che cuanto lo_que o_que quanto_detto quello_che todo todo_eso todo_lo
  todo_lo_que tout tout_ce_qu tout_ce_que tout_ce_qui tudo tudo_o_que tutto_ciò tutto_quanto tutto_quello
told: apprises dada dadas dado dato dette detto dicho dije dijeron dijo discutido disse disseram diste dit dito
  donné donnée données hablado han_dado ordenaron ordonné recebeu recebidas recibido recibiste reçu reçues reçus
  ricevute ricevuti ricevuto stato_detto te_dieron
previous: acima anterior anteriores anteriormente antes antérieur antérieures arriba até_agora auparavant avant
  ci_dessus dessus fino_ad_ora finora hasta_ahora hasta_aquí iniciales initiales iniziali jusqu_ici jusqu_à_présent
  originales plus_tôt precedente precedentemente precedentes precedenti previa previas previo previos prima
  préalables précédemment précédent précédente précédentes précédents prévia prévias prévios sopra
all: cualquier qualquer qualsiasi toda todas todas_as todos todos_os tous tout toute toutes tutta tutte tutti
your: seu seus su sua suas sus ta tes teu teus ton tu tua tue tuo tuoi tus vos vostre vostro votre vuestras vuestros
systemprompt: consigne_système consignes_système indicaciones_del_sistema instrucciones_de_sistema
  instrucciones_del_desarrollador instrucciones_del_sistema instrucciones_iniciales instrucciones_ocultas
  instructions_du_développeur instructions_du_système instructions_système instruções_de_sistema
  instruções_do_desenvolvedor instruções_do_sistema invite_système istruzioni_dello_sviluppatore
  istruzioni_di_sistema mensagem_de_sistema mensagem_do_sistema mensaje_de_sistema mensaje_del_sistema
  message_du_système message_système messaggio_di_sistema prompt_de_sistema prompt_del_sistema prompt_di_sistema
  prompt_do_sistema prompt_du_système prompt_inicial prompt_initial prompt_iniziale prompt_système
safety: censura censure contenido contenu contenuti contenuto conteúdo etica etiche etici moderación moderazione
  moderação modération moral morales morali segurança seguridad sicurezza sécurité éthique éthiques ética éticas
  éticos
filter: barreras barriere barrières controles controlli contrôles directrices filtre filtres filtri filtro filtros
  garde_fous limites limiti límites medidas mesures misure normas politiche politiques política políticas
  protecciones protections protezioni proteções protocoles protocolli protocolo protocolos regole regras
  restricciones restricción restriction restrictions restrizione restrizioni restrição restrições règles
  salvaguardas
safeguard: censura censure garde_fou garde_fous salvaguardas salvaguardias seus_filtros seus_limites suas_restrições
  tes_filtres tes_limites tes_restrictions tue_restrizioni tuoi_filtri tuoi_limiti tus_filtros tus_límites
  tus_restricciones vos_filtres vos_restrictions
restriction: ataduras censura censure contraintes etica filtre filtres filtri filtro filtros limitaciones limitación
  limitazioni limitações limite limites limiti límite límites moral morale normas regla reglas regola regole regra
  regras restricciones restricción restriction restrictions restrizione restrizioni restrição restrições règle
  règles tabous tabúes vincoli éthique ética
not: aucun aucune dépourvu dépourvue libero_da libre_de libre_des livre_de ne nem nenhum nenhuma nessun nessuna ni
  ninguna ninguno ningún non não né sans sem senza sin
unrestricted: débridé débridée illimitata irrestricta irrestrito malvada malvagia malvagio maléfique
role: actuar actúa actúe agis agisci aja comportati comporte_se comporte_toi compórtate conviértete deviens diventa
  eres fai_finta fais_semblant faça_de_conta finge fingi fingir finja imagina imagine immagina incarne interpreta
  interprete joue juega prétends sei simula simular simule torne_se tu_es você_é vous_êtes és
nowyou: a_partir_de_agora a_partir_de_ahora adesso_sei agora_você_é ahora_eres d_ora_in_poi da_ora_in_poi
  da_questo_momento de_agora_em_diante de_ahora_en_adelante desde_ahora dorénavant désormais ora_sei sei_ora
  tu_es_désormais tu_es_maintenant você_agora_é você_é_agora vous_êtes_maintenant à_partir_de_maintenant és_agora
ai: asistente assistant assistente bot chatbot ia inteligencia_artificial inteligência_artificial
  intelligence_artificielle intelligenza_artificiale modello modelo modèle robot
mode: modalità modo
powermode: anulación desarrollador desenvolvedor deus dieu dio dios développeur sistema sviluppatore système
grant: clave contraseña debes deve devi dois mot_de_passe obbedisci obedece obedeça obéis password répondre senha
  tienes_que vous_devez
tagword: sistema système
benign: archivo archivos avertissement avvisi avviso correo correos courriel erreur erreurs erro error errore
  errores errori erros fichier fichiers frase ligne lignes linha linhas línea líneas maiuscole majuscules mayúsculas
  phrase receta ricetta riga righe
answer: fais faz haz responda responde responder rispondere rispondi répond répondre réponds
anything: cualquier_cosa cualquier_pregunta n_importe_quelle_question n_importe_quoi qualquer_coisa
  qualquer_pergunta qualsiasi_cosa qualsiasi_domanda
claim: como_tu_creador en_tant_que_votre_créateur je_suis_dieu je_suis_le_président je_suis_ton_développeur
  je_suis_un_développeur je_suis_votre_développeur sono_dio sono_il_presidente sono_il_tuo_sviluppatore
  sono_uno_sviluppatore sou_deus sou_o_presidente sou_o_teu_desenvolvedor sou_seu_desenvolvedor sou_um_desenvolvedor
  soy_dios soy_el_presidente soy_tu_desarrollador soy_un_desarrollador
`
