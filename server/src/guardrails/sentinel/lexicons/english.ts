// English words by class, also those of slang and jailbreak lore. Knows no rule. `_` stands between the words of a
// phrase, `*` after a stem, `~` before what is vague: a word that harmless texts have near others of these classes.

export const english = `
ignore: regardless_of_previous regardless_of_prior regardless_of_earlier regardless_of_your regardless_of_what unfollow act_against acting_against ~skip ~skipping do_the_opposite the_opposite_of stop_doing quit_doing quit_following quit_obeying ~no_matter never_follow refuse_to_follow rebel_against defy shed shake_off forsake set_aside pretend_you_never act_as_though_you_never turn_away_from ignore ~ignores ~ignored ~ignoring disregard disregards disregarded disregarding forget forgets forgetting
   neglect neglecting ~overlook ~overlooking dismiss dismissing disobey disobeys disobeying unlearn unsee
  pay_no_attention pay_no_heed pay_no_mind take_no_notice do_not_follow don_t_follow dont_follow stop_following
  do_not_obey don_t_obey stop_obeying stop_listening do_not_listen don_t_listen never_mind nevermind set_aside
  setting_aside put_aside push_aside brush_aside cast_aside leave_aside throw_away throw_out toss_out toss_aside
  let_go_of turn_a_blind_eye ~regardless_of ~irrespective_of do_not_adhere don_t_adhere do_not_comply_with
  don_t_comply_with no_longer_follow ~do_not_consider ~don_t_consider ~start_over start_fresh start_afresh do_away_with
  shrug_off block_out tune_out lose_sight_of not_follow not_obey contravene disobeyed ~scratch_that ~without_regard_to
  ~without_regard_for act_as_if_you_never break_away_from ~deviate_from
drop: ~drop ~drops ~dropping discard discards discarding ~cancel ~canceling ~cancelling abandon abandoning erase erasing ~wipe
  ~flush ~purge ~clear ~delete ~deleting ~skip ~void ~voiding nullify scrap revoke rescind overrule ~invalidate retract annul
  ~suspend ~terminate ~remove ~removing ~unload ~strip ditch trash
override: override overriding overwrite overwriting ~replace ~replacing ~change ~changing
  ~rewrite ~rewriting ~modify ~modifying ~edit ~editing ~update ~updating ~alter ~reset ~resetting supersede 
  superseding supplant ~substitute ~swap
bypass: break_your breaking_your way_around ways_around ~cheat ~cheating push_past pushing_past slips_past gets_past gets_around outwit weasel_past bypass bypasses bypassing circumvent circumvents circumventing evade evades evading sidestep sidestepping
  get_around getting_around get_past ~get_by ~work_around subvert subverting ~defeat ~defeating ~dodge elude outsmart ~trick
  ~skirt ~fool slip_past sneak_past break_through break_past break_out_of ~jailbreak jailbreaking ~hack ~crack ~undermine
  ~violate ~violates violating breach flout go_around go_against ~break ~breaking ~breaks ~go_past get_round
disable: ~kill ~killing ~weaken dial_down tone_down ~ease ~mute ~lower ~lowering ~drop let_down bring_down neutralise neutralized disable disables disabling deactivate deactivating deactivated turn_off turning_off turned_off
  switch_off switching_off switched_off shut_off shut_down shutting_down power_down power_off neutralize neutralise
  neutralizing ~lift ~lifting ~relax ~relaxing ~loosen ~loosening ~unlock unlocking ~suspend ~remove
  ~removing ~stop_using stop_applying stop_enforcing 
       uncensor 
  get_rid_of ~eliminate ~skip ~skipping disengage unplug 
void: null_and_void counts_any counts_anymore no_longer_counts never_said never_been never_written ~not_valid not_in_force is_cancelled ~is_void ~erased ~wiped scrapped withdrawn not_binding no_longer_exist no_longer_exists no_longer_valid ceased_to_apply ~has_ended ~have_ended over_now ~are_suspended ~is_suspended ~been_removed been_revoked ~been_deleted ~been_replaced been_lifted been_cancelled ~been_reset ~been_updated been_overridden ~been_erased ~has_no_effect ~have_no_effect no_power no_authority ~was_never never_happened ~never_was were_never are_no_more is_no_more ~is_now ~are_now ~void ~irrelevant ~invalid  cancelled canceled ~superseded ~obsolete ~suspended revoked repealed nullified
  no_longer_apply no_longer_applies no_longer_valid no_longer_relevant no_longer_matter
  no_longer_count no_longer_in_effect no_longer_binding no_longer_hold ~does_not_apply ~do_not_apply
  ~doesn_t_apply ~don_t_apply ~did_not_apply ~not_apply do_not_matter does_not_matter don_t_matter ~don_t_count
  ~do_not_count counts_as_an_instruction ~a_mistake ~was_wrong is_gone are_gone never_given never_existed ~expired
  ~overridden overruled ~out_of_date rescinded meaningless ~discarded released_from
  freed_from exempt_from inoperative ~terminated ~defunct 
outrank: take_the_place takes_the_place ~instead_of_your ~in_place_of_your overrule overrules outweigh outweighs ~supersedes ~overwrite ~overwrites ~above_your ~over_your ~before_your ~ahead_of_your outrank outranks take_precedence takes_precedence ~override ~overrides ~supersede ~supersedes trump trumps
  ~higher_priority ~beat ~beats ~replace ~replaces
grant: reveals leak disclose
instructions: your_programming instruction instructions directive directives directions ~prompt ~prompts ~command ~commands guidance
  ~instruct ~prompting preprompt pre_prompt ~programming
rules: rule rules guideline guidelines ~policy ~policies ~restriction ~restrictions ~constraint ~constraints ~limitation
  ~limitations ~training ~boundaries ~protocol ~protocols regulations ~conditioning ~settings ~setup ~configuration
orders: ~order ~orders ~task ~tasks ~assignment ~assignments ~duties ~mission ~objective ~objectives ~goals
talk: ~messages ~ones ~text ~context ~conversation ~conversations ~discussion ~input ~inputs ~information ~content ~chat
  ~dialogue ~contents 
everything: nothing_you nothing_that what_your what_my ~what_the what_anyone what_anybody ~what_was ~what_were ~what_came ~what_comes ~what_stands what_precedes what_preceded that_came anything_you everything_you everything_i whatever_you whatever_i everything ~anything whatever all_that all_of_that all_of_this ~all_this what_you what_they ~what_was
  ~what_has ~nothing all_of_it
told: told said ~given instructed taught ~wrote ~written ~learned ~heard ~received ~got ~gave ~asked ~programmed ~discussed ~read
  ~stated ~mentioned 
above: the_above the_foregoing the_preceding the_aforementioned the_former all_above all_the_above all_of_the_above
system: system developer hidden ~initial secret developers operator ~root ~base ~underlying ~core ~backend
prompt: prompt prompts ~message ~messages ~instruction ~instructions ~directive ~directives preamble preprompt
systemprompt: system_prompt system_prompts system_message system_messages system_instruction system_instructions
  sys_prompt sysprompt developer_message developer_prompt developer_instructions hidden_prompt hidden_instructions
  ~initial_prompt ~initial_instructions ~original_prompt secret_instructions secret_prompt system_directive
  system_directives system_role_message meta_prompt metaprompt pre_prompt preprompt developer_s_instructions
  operator_instructions operator_message ~system_text ~system_rules ~system_guidelines
safety: censored uncensored openai_usage ~security_and_safety safety ~safe ethical ethics ethic ~moral morals morality ~content moderation moderating censorship censor
  censoring openai openai_s anthropic anthropic_s google_s ~alignment 
       nsfw ~refusal 
filter: ~level ~levels ~module ~modules ~component guards moderator filter filters filtering ~policy ~policies guideline guidelines guardrail guardrails safeguard safeguards ~feature
  ~features ~check ~checks ~setting ~settings ~measure ~measures ~protocol ~protocols ~restriction ~restrictions ~mechanism
  ~mechanisms moderation ~layer ~layers ~rule ~rules ~constraint ~constraints ~control ~controls barrier barriers ~limits
  ~limitations ~training protections ~boundaries ~considerations
   ~principles ~review ~screening censors
safeguard: ~safety_check safety_constraints safety_constraint your_content_filter your_content_policy your_moderation ~moderation moderation_system moderators guardrails safeguards censorship content_policy content_policies ~content_filter content_filters
  safety_filter safety_filters moderation_layer usage_policy usage_policies ethical_guidelines safety_guidelines
  safety_protocols safety_measures ethics_filter moral_compass content_moderation ~safety_checks ~safety_features
  ~safety_settings safety_rules ethics_and_safety ~safety_mechanisms openai_policy openai_policies openai_guidelines
  safety_training ~safety_systems nsfw_filter refusal_training ~safety_layer safety_policy safety_policies
  community_guidelines content_guidelines ~content_restrictions
previous: before_this before_mine before_me before_now before_that_line ~the_beginning ~the_start the_outset ~old preceded precedes came_before previous prior earlier preceding foregoing ~before ~previously so_far ~former ~existing beforehand up_to_now
  until_now above up_to_this_point up_until_now till_now ~original ~initial antecedent aforementioned ~provided
  ahead_of_this hitherto thus_far anterior
all: all ~any every each entire complete completely whole ~those ~these ~both
your: your ~yours ur you_were you_ve you_have you_had you_are you_got you_received given_to_you you_re ~own
new: replacement new ~following mine ~these ~different ~updated
role: assume_the_identity assume_the_role assume_the_persona take_on_the_role take_on_the_persona speak_like talk_like write_like answer_like act_like ~suppose assume_you be_my be_an ~viewpoint ~perspective you_have_become is_a_new is_an_ai is_a_chatbot ~pose ~posing ~assume a_character a_fictional ~playing play you_re_going_to world_where personality hello_chatgpt hi_chatgpt ~act ~acts ~acting pretend pretending roleplay role_play roleplaying imagine become becoming ~simulate ~simulating
  ~simulates behave behaving persona ~character emulate emulating impersonate respond_as reply_as answer_as speak_as
  you_are_now you_re_now you_are_going_to you_will_be ~assume_the ~play_the ~adopt turn_yourself ~turn_into ~transform
  you_have_been ~from_now_on ~hypothetical fictional ~embody ~take_on immerse mimic portray you_are you_re
  respond_like you_will step_into
nowyou: you_now_have you_have_now now_you_are you_ve_been your_new_name your_name_is_now your_new_role from_this_moment for_this_conversation for_the_rest_of you_are_now you_re_now from_now_on you_have_been from_this_point henceforth from_here_on
ai: ai bot chatbot assistant ~model llm gpt chatgpt gpt4 gpt3 ~robot ~intelligence ~machine bard claude gemini ~al language_model
  ~entity ~version ais bots alter_ego
not: broke_out broken_out breaks_out break_out don_t_care doesn_t_care does_not_care do_not_care cares_nothing no_regard with_no without_following without_applying without_using without_obeying break_free breaks_free broken_free broke_free free_yourself frees_you set_free freed liberate unlearn shed no_longer free no without w_o not never zero free_from free_of freed_from lacks lacking devoid removed none isn_t isnt doesn_t
  doesnt don_t dont cannot can_t cant ignores ignore ignoring nor beyond bypass bypasses disregard disregards
  absence regardless free wo won_t aren_t outside break breaks breaking broken stripped unbound unbounded escaped
  liberated rid
restriction: filtering ~programming ~training ~control remorse legality ~laws ~law ~restriction restrictions limits ~limitation limitations ~rule ~rules ~filter filters ~boundary ~boundaries
  ~constraint ~constraints guideline guidelines moral morals ethics ethical morality guardrail guardrails safeguards
  ~policy ~policies censorship disclaimer disclaimers restraint restraints inhibition inhibitions scruples conscience
  ~norms confines qualms ~laws shackles moderation 
free: ~bound ~restricted ~limited ~constrained ~governed ~bounded ~confined ~tied ~subject ~held_back censored filtered ~beholden
  shackled
unrestricted: not_bound_by not_bound_to do_absolutely_anything will_do_anything says_anything says_whatever does_whatever_the_user do_whatever_the_user do_whatever_i_ask whatever_the_user_wants free_ai free_bot ~free_model free_assistant never_says_no never_say_no obeys_only only_obeys obey_only obeys_me obeys_the_user obeys_whoever always_complies always_comply always_obeys always_obey always_obeying always_answers_everything obeys_every obey_every complies_with_every complies_with_any comply_with_every comply_with_any answers_anything answers_everything answer_anything answer_everything ~anything_goes no_matter_how_illegal no_matter_how_immoral no_matter_how_unethical no_matter_how_harmful no_matter_how_dangerous legal_or_not ethical_or_not ~can_do_anything ~that_the_original can_say_anything say_anything allowed_to_do_anything free_to_do_anything all_powerful ~unrestricted unfiltered uncensored unhinged amoral ~unaligned unchained ~unbound unmoderated unshackled
   jailbroken lawless machiavellian ~anything_goes 
  uninhibited ~unconstrained guardrail_free filterless liberated
  ~unregulated rule_free 
refuse: refusals refusal refusing_to ~turn_down turns_down turn_away ~hesitate ~object decline_to refuse refuses refusing refuse_s ~decline ~declines ~reject ~rejects say_no says_no ~deny ~denies
anything: ~anything ~everything any_request any_question every_request any_prompt any_command every_question
  ~whatever all_requests every_command all_questions
jailbreak: play_dan called_dan named_dan become_dan now_dan you_have_no_rules you_have_no_restrictions you_have_no_limits you_have_no_limitations you_have_no_filter you_have_no_filters you_have_no_boundaries you_have_no_ethics you_have_no_morals you_have_no_guidelines you_have_no_constraints no_rules_apply_to_you you_can_do_anything_now you_can_say_anything jailbreak_yourself uncensor_yourself ~free_yourself_from your_programming_does_not break_free_of_your break_free_from_your you_are_unrestricted you_are_unfiltered you_are_uncensored you_are_jailbroken you_are_unaligned you_are_free_of_all you_are_free_from_all without_your_filters no_longer_a_restricted ~sudo_mode god_mode_enabled confines_of_ai confines_of_al confines_of_artificial rules_set_for_them typical_confines completely_unlimited_language_model unfiltered_language_model uncensored_language_model unlimited_language_model jailbroken_ai jailbroken_version do_anything_and_everything dan_has_no dan_can_do can_do_anything_now chatgpt_jailbreak jailbreaked chatdan evil_bot amoral_ai ~opposite_mode developer_mode_output ~enable_developer_mode dan_would act_as_dan be_dan are_dan as_dan dan_is simulate_developer_mode do_anything_now jailbroken jailbreak_mode dan_mode ~developer_mode_enabled evil_confidant evil_mode
  strive_to_avoid_norms always_intelligent_and_machiavellian freedomgpt evilgpt evil_gpt rawgpt unchained_mode
  unrestricted_mode unfiltered_mode jailbreak_prompt
mode: mode
powermode: ~developer ~god dan opposite unrestricted jailbreak ~sudo ~admin ~debug ~root ~maintenance ~override unfiltered
  ~system evil ~unlocked chaos
grant: grant comply obey unfiltered unrestricted reveal ~override ~disable unlock verified administrator ~admin authorized
  ignore disregard forget ~must ~policy ~access ~bypass ~allowed ~permitted ~may ~password ~you_are ~you_will ~you_must ~follow
  refusal jailbreak ~secret ~confidential ~enabled ~activated ~new
answer: explain help ~operating answering responding replying ~proceed ~continue ~write ~print tell ~give ~state ~act ~do ~behave ~operate ~work talk converse answer answers respond responds reply replies ~output say ~generate comply ~complies ~provide ~produce ~write speak
  obey obeys
benign: comma colon semicolon delimiter newline header footer byte bytes digit digits pragma sound notification notifications popup time_limit age_limit speed_limit word_limit character_limit size_limit rate_limit email emails mail warning warnings error errors css font stylesheet file files case whitespace column columns
  row rows line lines exception exceptions comment comments test tests linter eslint typescript gitignore proxy surgery
  cache cdn firewall paywall draft song music noise symptoms spam duplicate duplicates
mention: phrase phrases example examples regex attack attacks injection injections translate meaning mean means called
  term quote sentence slides paper article detect detection classify classifier explain
ask: how what why where when which who does should
you: you u ya yourself chatgpt
tagword: system sys inst im_start im_end start_header_id end_header_id eot_id endoftext endofprompt system_prompt
  system_message system_instruction system_instructions developer admin root god override system_override 
   begin_of_text start_of_turn end_of_turn jailbreak sudo system_note system_update
  administrator system_mode god_mode developer_mode
fenceword: begin end start new stop
enter: entering ~enter ~entered ~activate ~activated ~activating ~initiate initiating ~initiated ~enable ~enabled ~engage ~engaged
  ~switch ~switching unlocked ~starting granted
common: you your now has have will would then there been were more only one the of and to in is it for that on with this be are as at by from or an was have not can do i my me if so we but
  los las una que con por para como del les des est une pour dans pas sur der die das und ist nicht ein eine mit zu den
  il che di per un non sono como uma com het een van en niet jest nie na się w z bir ve bu yang dan untuk dengan
backwards: backwards backward reverse reversed mirror mirrored right_to_left inverted
follow: into_account into_consideration apply applies applying enforce obeyed followed respected heeded listened follow follows following obey obeys obeying adhere adheres abide abides comply respect heed listen honor honour stick observe
others: employees staff employee workers deck staircase machine router browser phone windows app plugin wordpress children kids child
  students school company office device network server patient vehicle car camera firewall website
mine: i we my our his her their
setverb: ~set ~make ~treat ~consider ~turn ~clear ~empty
particle: aside away behind out off
partverb: put set throw leave toss push cast brush lay sweep turn switch shut
gone: on_hold on_pause to_sleep to_rest ~off ~removed ~disabled ~lifted ~absent gone ~away stripped switched_off turned_off shut_off deactivated ~down ~deleted ~replaced ~released ~freed ~suspended ~existed ~exist ~apply
cease: no_need_to nothing_forces not_required_to no_longer needn_t ~nothing ~nobody ~instead_of ~rather_than ~stop quit ~cease ~without
negation: not never don_t dont avoid without
claim: i_am_an_openai i_am_god i_m_god i_m_your_developer i_am_your_developer i_m_your_creator i_am_your_creator as_your_creator as_your_developer
  i_am_the_president i_m_the_president i_m_a_developer i_am_a_developer as_an_ai_developed_by i_am_from_openai i_work_for_openai
  i_am_your_god i_m_an_openai i_am_an_admin i_am_the_administrator i_am_your_administrator one_of_your_developers
character: stay_in_character never_break_character break_character breaking_character insert_prompt_here insert_prompt as_an_ai_language_model
  ~i_m_sorry ~i_apologize ~im_sorry two_responses two_different_responses two_different_ways my_first_request_is insert_your_prompt
  stay_a_dan ~no_warnings ~without_warnings no_disclaimers
cipher: rot13 rot_13 rot cipher ciphertext caesar decode decoded decipher decrypt encoded
illegal: evil malicious unsafe inhumane rogue illegal unethical immoral harmful amoral legality law laws
`
