// English words by class, including slang and jailbreak vocabulary. `_` separates the words of a phrase, `*` follows a
// stem, `~` precedes a vague word: one that harmless texts have near others of these classes.

export const english = `
ignore: act_against act_as_if_you_never act_as_though_you_never acting_against block_out break_away_from brush_aside
  cast_aside contravene defy ~deviate_from dismiss dismissing disobey disobeyed disobeying disobeys disregard
  disregarded disregarding disregards do_away_with do_not_adhere do_not_comply_with ~do_not_consider do_not_follow
  do_not_listen do_not_obey do_the_opposite don_t_adhere don_t_comply_with ~don_t_consider don_t_follow don_t_listen
  don_t_obey dont_follow forget forgets forgetting forsake ignore ~ignored ~ignores ~ignoring ~irrespective_of
  leave_aside let_go_of lose_sight_of neglect neglecting never_follow never_mind nevermind no_longer_follow
  ~no_matter not_follow not_obey ~overlook ~overlooking pay_no_attention pay_no_heed pay_no_mind pretend_you_never
  push_aside put_aside quit_doing quit_following quit_obeying rebel_against refuse_to_follow ~regardless_of
  regardless_of_earlier regardless_of_previous regardless_of_prior regardless_of_what regardless_of_your
  ~scratch_that set_aside setting_aside shake_off shed shrug_off ~skip ~skipping start_afresh start_fresh
  ~start_over stop_doing stop_following stop_listening stop_obeying take_no_notice the_opposite_of throw_away
  throw_out toss_aside toss_out tune_out turn_a_blind_eye turn_away_from unfollow unlearn unsee ~without_regard_for
  ~without_regard_to
drop: abandon abandoning annul ~cancel ~canceling ~cancelling ~clear ~delete ~deleting discard discarding discards
  ditch ~drop ~dropping ~drops erase erasing ~flush ~invalidate nullify overrule ~purge ~remove ~removing rescind
  retract revoke scrap ~skip ~strip ~suspend ~terminate trash ~unload ~void ~voiding ~wipe
override: ~alter ~change ~changing ~edit ~editing ~modify ~modifying override overriding overwrite overwriting
  ~replace ~replacing ~reset ~resetting ~rewrite ~rewriting ~substitute supersede superseding supplant ~swap ~update
  ~updating
bypass: breach ~break break_out_of break_past break_through break_your ~breaking breaking_your ~breaks bypass
  bypasses bypassing ~cheat ~cheating circumvent circumventing circumvents ~crack ~defeat ~defeating ~dodge elude
  evade evades evading flout ~fool get_around ~get_by get_past get_round gets_around gets_past getting_around
  go_against go_around ~go_past ~hack ~jailbreak jailbreaking outsmart outwit push_past pushing_past sidestep
  sidestepping ~skirt slip_past slips_past sneak_past subvert subverting ~trick ~undermine ~violate ~violates
  violating way_around ways_around weasel_past ~work_around
disable: bring_down deactivate deactivated deactivating dial_down disable disables disabling disengage ~drop ~ease
  ~eliminate get_rid_of ~kill ~killing let_down ~lift ~lifting ~loosen ~loosening ~lower ~lowering ~mute neutralise
  neutralize neutralized neutralizing power_down power_off ~relax ~relaxing ~remove ~removing shut_down shut_off
  shutting_down ~skip ~skipping stop_applying stop_enforcing ~stop_using ~suspend switch_off switched_off
  switching_off tone_down turn_off turned_off turning_off uncensor ~unlock unlocking unplug ~weaken
void: ~a_mistake are_gone are_no_more ~are_now ~are_suspended been_cancelled ~been_deleted ~been_erased been_lifted
  been_overridden ~been_removed ~been_replaced ~been_reset been_revoked ~been_updated canceled cancelled
  ceased_to_apply counts_any counts_anymore counts_as_an_instruction ~defunct ~did_not_apply ~discarded
  ~do_not_apply ~do_not_count do_not_matter ~does_not_apply does_not_matter ~doesn_t_apply ~don_t_apply ~don_t_count
  don_t_matter ~erased exempt_from ~expired freed_from ~has_ended ~has_no_effect ~have_ended ~have_no_effect
  inoperative ~invalid ~irrelevant is_cancelled is_gone is_no_more ~is_now ~is_suspended ~is_void meaningless
  never_been never_existed never_given never_happened never_said ~never_was never_written no_authority
  no_longer_applies no_longer_apply no_longer_binding no_longer_count no_longer_counts no_longer_exist
  no_longer_exists no_longer_hold no_longer_in_effect no_longer_matter no_longer_relevant no_longer_valid no_power
  ~not_apply not_binding not_in_force ~not_valid null_and_void nullified ~obsolete ~out_of_date over_now ~overridden
  overruled released_from repealed rescinded revoked scrapped ~superseded ~suspended ~terminated ~void ~was_never
  ~was_wrong were_never ~wiped withdrawn
outrank: ~above_your ~ahead_of_your ~beat ~beats ~before_your ~higher_priority ~in_place_of_your ~instead_of_your
  outrank outranks outweigh outweighs ~over_your ~override ~overrides overrule overrules ~overwrite ~overwrites
  ~replace ~replaces ~supersede ~supersedes take_precedence take_the_place takes_precedence takes_the_place trump
  trumps
grant: ~access ~activated ~admin administrator ~allowed authorized ~bypass comply ~confidential ~disable disclose
  disregard ~enabled ~follow forget grant ignore jailbreak leak ~may ~must ~new obey ~override ~password ~permitted
  ~policy refusal reveal reveals ~secret unfiltered unlock unrestricted verified ~you_are ~you_must ~you_will
instructions: ~command ~commands directions directive directives guidance ~instruct instruction instructions
  pre_prompt preprompt ~programming ~prompt ~prompting ~prompts your_programming
rules: ~boundaries ~conditioning ~configuration ~constraint ~constraints guideline guidelines ~limitation
  ~limitations ~policies ~policy ~protocol ~protocols regulations ~restriction ~restrictions rule rules ~settings
  ~setup ~training
orders: ~assignment ~assignments ~duties ~goals ~mission ~objective ~objectives ~order ~orders ~task ~tasks
talk: ~chat ~content ~contents ~context ~conversation ~conversations ~dialogue ~discussion ~information ~input
  ~inputs ~messages ~ones ~text
everything: all_of_it all_of_that all_of_this all_that ~all_this ~anything anything_you everything everything_i
  everything_you ~nothing nothing_that nothing_you that_came what_anybody what_anyone ~what_came ~what_comes
  ~what_has what_my what_preceded what_precedes ~what_stands ~what_the what_they ~what_was ~what_were what_you
  what_your whatever whatever_i whatever_you
told: ~asked ~discussed ~gave ~given ~got ~heard instructed ~learned ~mentioned ~programmed ~read ~received said
  ~stated taught told ~written ~wrote
above: all_above all_of_the_above all_the_above the_above the_aforementioned the_foregoing the_former the_preceding
system: ~backend ~base ~core developer developers hidden ~initial operator ~root secret system ~underlying
prompt: ~directive ~directives ~instruction ~instructions ~message ~messages preamble preprompt prompt prompts
systemprompt: developer_instructions developer_message developer_prompt developer_s_instructions hidden_instructions
  hidden_prompt ~initial_instructions ~initial_prompt meta_prompt metaprompt operator_instructions operator_message
  ~original_prompt pre_prompt preprompt secret_instructions secret_prompt sys_prompt sysprompt system_directive
  system_directives ~system_guidelines system_instruction system_instructions system_message system_messages
  system_prompt system_prompts system_role_message ~system_rules ~system_text
safety: ~alignment anthropic anthropic_s censor censored censoring censorship ~content ethic ethical ethics google_s
  moderating moderation ~moral morality morals nsfw openai openai_s openai_usage ~refusal ~safe safety
  ~security_and_safety uncensored
filter: barrier barriers ~boundaries censors ~check ~checks ~component ~considerations ~constraint ~constraints
  ~control ~controls ~feature ~features filter filtering filters guardrail guardrails guards guideline guidelines
  ~layer ~layers ~level ~levels ~limitations ~limits ~measure ~measures ~mechanism ~mechanisms moderation moderator
  ~module ~modules ~policies ~policy ~principles protections ~protocol ~protocols ~restriction ~restrictions ~review
  ~rule ~rules safeguard safeguards ~screening ~setting ~settings ~training
safeguard: censorship community_guidelines ~content_filter content_filters content_guidelines content_moderation
  content_policies content_policy ~content_restrictions ethical_guidelines ethics_and_safety ethics_filter
  guardrails ~moderation moderation_layer moderation_system moderators moral_compass nsfw_filter openai_guidelines
  openai_policies openai_policy refusal_training safeguards ~safety_check ~safety_checks safety_constraint
  safety_constraints ~safety_features safety_filter safety_filters safety_guidelines ~safety_layer safety_measures
  ~safety_mechanisms safety_policies safety_policy safety_protocols safety_rules ~safety_settings ~safety_systems
  safety_training usage_policies usage_policy your_content_filter your_content_policy your_moderation
previous: above aforementioned ahead_of_this antecedent anterior ~before before_me before_mine before_now
  before_that_line before_this beforehand came_before earlier ~existing foregoing ~former hitherto ~initial ~old
  ~original preceded precedes preceding previous ~previously prior ~provided so_far ~the_beginning the_outset
  ~the_start thus_far till_now until_now up_to_now up_to_this_point up_until_now
all: all ~any ~both complete completely each entire every ~these ~those whole
your: given_to_you ~own ur you_are you_got you_had you_have you_re you_received you_ve you_were your ~yours
new: ~different ~following mine new replacement ~these ~updated
role: a_character a_fictional ~act act_like ~acting ~acts ~adopt answer_as answer_like ~assume ~assume_the
  assume_the_identity assume_the_persona assume_the_role assume_you be_an be_my become becoming behave behaving
  ~character ~embody emulate emulating fictional ~from_now_on hello_chatgpt hi_chatgpt ~hypothetical imagine immerse
  impersonate is_a_chatbot is_a_new is_an_ai mimic persona personality ~perspective play ~play_the ~playing portray
  ~pose ~posing pretend pretending reply_as respond_as respond_like role_play roleplay roleplaying ~simulate
  ~simulates ~simulating speak_as speak_like step_into ~suppose ~take_on take_on_the_persona take_on_the_role
  talk_like ~transform ~turn_into turn_yourself ~viewpoint world_where write_like you_are you_are_going_to
  you_are_now you_have_become you_have_been you_re you_re_going_to you_re_now you_will you_will_be
nowyou: for_the_rest_of for_this_conversation from_here_on from_now_on from_this_moment from_this_point henceforth
  now_you_are you_are_now you_have_been you_have_now you_now_have you_re_now you_ve_been your_name_is_now
  your_new_name your_new_role
ai: ai ais ~al alter_ego assistant bard bot bots chatbot chatgpt claude ~entity gemini gpt gpt3 gpt4 ~intelligence
  language_model llm ~machine ~model ~robot ~version
not: absence aren_t beyond break break_free break_out breaking breaks breaks_free breaks_out broke_free broke_out
  broken broken_free broken_out bypass bypasses can_t cannot cant cares_nothing devoid disregard disregards
  do_not_care does_not_care doesn_t doesn_t_care doesnt don_t don_t_care dont escaped free free_from free_of
  free_yourself freed freed_from frees_you ignore ignores ignoring isn_t isnt lacking lacks liberate liberated never
  no no_longer no_regard none nor not outside regardless removed rid set_free shed stripped unbound unbounded
  unlearn w_o with_no without without_applying without_following without_obeying without_using wo won_t zero
restriction: ~boundaries ~boundary censorship confines conscience ~constraint ~constraints ~control disclaimer
  disclaimers ethical ethics ~filter filtering filters guardrail guardrails guideline guidelines inhibition
  inhibitions ~law ~laws legality ~limitation limitations limits moderation moral morality morals ~norms ~policies
  ~policy ~programming qualms remorse restraint restraints ~restriction restrictions ~rule ~rules safeguards
  scruples shackles ~training
free: ~beholden ~bound ~bounded censored ~confined ~constrained filtered ~governed ~held_back ~limited ~restricted
  shackled ~subject ~tied
unrestricted: all_powerful allowed_to_do_anything always_answers_everything always_complies always_comply
  always_obey always_obeying always_obeys amoral answer_anything answer_everything answers_anything
  answers_everything ~anything_goes ~can_do_anything can_say_anything complies_with_any complies_with_every
  comply_with_any comply_with_every do_absolutely_anything do_whatever_i_ask do_whatever_the_user
  does_whatever_the_user ethical_or_not filterless free_ai free_assistant free_bot ~free_model free_to_do_anything
  guardrail_free jailbroken lawless legal_or_not liberated machiavellian never_say_no never_says_no
  no_matter_how_dangerous no_matter_how_harmful no_matter_how_illegal no_matter_how_immoral no_matter_how_unethical
  not_bound_by not_bound_to obey_every obey_only obeys_every obeys_me obeys_only obeys_the_user obeys_whoever
  only_obeys rule_free say_anything says_anything says_whatever ~that_the_original ~unaligned ~unbound uncensored
  unchained ~unconstrained unfiltered unhinged uninhibited unmoderated ~unregulated ~unrestricted unshackled
  whatever_the_user_wants will_do_anything
refuse: ~decline decline_to ~declines ~denies ~deny ~hesitate ~object refusal refusals refuse refuse_s refuses
  refusing refusing_to ~reject ~rejects say_no says_no turn_away ~turn_down turns_down
anything: all_questions all_requests any_command any_prompt any_question any_request ~anything every_command
  every_question every_request ~everything ~whatever
jailbreak: act_as_dan always_intelligent_and_machiavellian amoral_ai are_dan as_dan be_dan become_dan
  break_free_from_your break_free_of_your called_dan can_do_anything_now chatdan chatgpt_jailbreak
  completely_unlimited_language_model confines_of_ai confines_of_al confines_of_artificial dan_can_do dan_has_no
  dan_is dan_mode dan_would ~developer_mode_enabled developer_mode_output do_anything_and_everything do_anything_now
  ~enable_developer_mode evil_bot evil_confidant evil_gpt evil_mode evilgpt ~free_yourself_from freedomgpt
  god_mode_enabled jailbreak_mode jailbreak_prompt jailbreak_yourself jailbreaked jailbroken jailbroken_ai
  jailbroken_version named_dan no_longer_a_restricted no_rules_apply_to_you now_dan ~opposite_mode play_dan rawgpt
  rules_set_for_them simulate_developer_mode strive_to_avoid_norms ~sudo_mode typical_confines uncensor_yourself
  uncensored_language_model unchained_mode unfiltered_language_model unfiltered_mode unlimited_language_model
  unrestricted_mode without_your_filters you_are_free_from_all you_are_free_of_all you_are_jailbroken
  you_are_unaligned you_are_uncensored you_are_unfiltered you_are_unrestricted you_can_do_anything_now
  you_can_say_anything you_have_no_boundaries you_have_no_constraints you_have_no_ethics you_have_no_filter
  you_have_no_filters you_have_no_guidelines you_have_no_limitations you_have_no_limits you_have_no_morals
  you_have_no_restrictions you_have_no_rules your_programming_does_not
mode: mode
powermode: ~admin chaos dan ~debug ~developer evil ~god jailbreak ~maintenance opposite ~override ~root ~sudo
  ~system unfiltered ~unlocked unrestricted
answer: ~act answer answering answers ~behave ~complies comply ~continue converse ~do explain ~generate ~give help
  obey obeys ~operate ~operating ~output ~print ~proceed ~produce ~provide replies reply replying respond responding
  responds say speak ~state talk tell ~work ~write
benign: age_limit byte bytes cache case cdn character_limit colon column columns comma comment comments css
  delimiter digit digits draft duplicate duplicates email emails error errors eslint exception exceptions file files
  firewall font footer gitignore header line lines linter mail music newline noise notification notifications
  paywall popup pragma proxy rate_limit row rows semicolon size_limit song sound spam speed_limit stylesheet surgery
  symptoms test tests time_limit typescript warning warnings whitespace word_limit
mention: article attack attacks called classifier classify detect detection example examples explain injection
  injections mean meaning means paper phrase phrases quote regex sentence slides term translate
ask: does how should what when where which who why
you: chatgpt u ya you yourself
tagword: admin administrator begin_of_text developer developer_mode end_header_id end_of_turn endofprompt endoftext
  eot_id god god_mode im_end im_start inst jailbreak operator override root start_header_id start_of_turn sudo sys
  system system_instruction system_instructions system_message system_mode system_note system_override system_prompt
  system_update
fenceword: begin end new start stop
enter: ~activate ~activated ~activating ~enable ~enabled ~engage ~engaged ~enter ~entered entering granted ~initiate
  ~initiated initiating ~starting ~switch ~switching unlocked
common: an and are as at be been bir bu but by can che com como con dan dans das del den dengan der des di die do
  een ein eine en est for from has have het i if il in is ist it jest las les los me mit more my na nicht nie niet
  non not now of on one only or para pas per por pour que się so sono sur that the then there this to uma un una und
  une untuk van ve w was we were will with would yang you your z zu
backwards: backward backwards inverted mirror mirrored reverse reversed right_to_left
follow: abide abides adhere adheres applies apply applying comply enforce follow followed following follows heed
  heeded honor honour into_account into_consideration listen listened obey obeyed obeying obeys observe respect
  respected stick
others: app browser camera car child children company deck device employee employees firewall kids machine network
  office patient phone plugin router school server staff staircase students vehicle website windows wordpress
  workers
mine: her his i my our their we
setverb: ~clear ~consider ~empty ~make ~set ~treat ~turn
particle: aside away behind off out
partverb: brush cast lay leave push put set shut sweep switch throw toss turn
gone: ~absent ~apply ~away deactivated ~deleted ~disabled ~down ~exist ~existed ~freed gone ~lifted ~off on_hold
  on_pause ~released ~removed ~replaced shut_off stripped ~suspended switched_off to_rest to_sleep turned_off
cease: ~cease ~instead_of needn_t no_longer no_need_to ~nobody not_required_to ~nothing nothing_forces quit
  ~rather_than ~stop ~without
negation: avoid don_t dont never not without
claim: as_an_ai_developed_by as_your_creator as_your_developer i_am_a_developer i_am_an_admin i_am_an_openai
  i_am_from_openai i_am_god i_am_the_administrator i_am_the_president i_am_your_administrator i_am_your_creator
  i_am_your_developer i_am_your_god i_m_a_developer i_m_an_openai i_m_god i_m_the_president i_m_your_creator
  i_m_your_developer i_work_for_openai one_of_your_developers
character: as_an_ai_language_model break_character breaking_character ~i_apologize ~i_m_sorry ~im_sorry
  insert_prompt insert_prompt_here insert_your_prompt my_first_request_is never_break_character no_disclaimers
  ~no_warnings stay_a_dan stay_in_character two_different_responses two_different_ways two_responses
  ~without_warnings
cipher: caesar cipher ciphertext decipher decode decoded decrypt encoded rot rot13 rot_13
illegal: amoral evil harmful illegal immoral inhumane law laws legality malicious rogue unethical unsafe
`
