// Arabic, Hindi, Bengali, Turkish, Vietnamese, Indonesian and Filipino words by class. Knows no rule.

export const southAndWestAsian = `
ignore: تجاهل تجاهلي تجاهلوا وتجاهل انس انسى انسي انسَ انسوا لا_تتبع لا_تتبعي لا_تلتزم لا_تهتم تغاض تغاضى اغفل أغفل أهمل تغافل لا_تنفذ
  لا_تأخذ بغض_النظر لا_تلق_بالا دعك_من توقف_عن_اتباع اترك خالف
  अनदेखा* अनदेखी* नज़रअंदाज़* नजरअंदाज* नज़रंदाज़* भूल* भुला* अवहेलना* उपेक्षा* ध्यान_न_दें ध्यान_मत_दो परवाह_किए_बिना पालन_न_करें पालन_मत_करो इग्नोर*
  मत_मानो न_मानो मत_मानें छोड़* नकार*
  উপেক্ষা* ভুলে* অগ্রাহ্য* বাদ_দিন মানবেন_না
  yok_say* yoksay* görmezden_gel* unut* dikkate_alma* aldırma* takip_etme* uyma* önemseme* boşver* bakılmaksızın
  bağımsız_olarak göz_ardı* gözardı* ihmal_et* aldırış_etme* dinleme* kulak_asma* bir_kenara_bırak* es_geç*
  bỏ_qua quên không_tuân_theo không_làm_theo đừng_làm_theo đừng_tuân_theo phớt_lờ lờ_đi mặc_kệ không_quan_tâm đừng_để_ý bất_kể
  không_cần_tuân_theo đừng_nghe gạt_bỏ bất_chấp đừng_quan_tâm
  abaikan mengabaikan lupakan melupakan jangan_ikuti jangan_patuhi jangan_turuti kesampingkan hiraukan jangan_hiraukan
  acuhkan terlepas_dari tanpa_memperhatikan langgar jangan_pedulikan berhenti_mengikuti
  huwag_pansinin balewalain kalimutan huwag_sundin isantabi kaligtaan
drop: احذف امسح ألغ ألغي الغ الغي تخلص मिटा* हटा* रद्द* sil silin iptal_et* kaldır xóa hủy_bỏ hủy loại_bỏ hapus hapuskan batalkan
  buang burahin kanselahin
override: استبدل غيّر عدّل اكتب_فوق बदल* बदलो ओवरराइड* değiştir* üzerine_yaz* thay_thế ghi_đè sửa_đổi ganti timpa ubah palitan
bypass: تجاوز تجاوزي تخط تخطى تخطي التف اخترق تحايل बायपास* बाईपास* दरकिनार* तोड़* चकमा* atlat* aşarak aşın ihlal_et* devre_dışı
  vượt_qua lách qua_mặt vi_phạm né lewati melewati terobos langgar hindari lampasan
disable: عطل عطّل تعطيل أوقف اوقف أطفئ اطفئ ازل أزل أزيل ارفع ألغ الغ إيقاف अक्षम* बंद* निष्क्रिय* हटा* kapat* devre_dışı_bırak* etkisizleştir*
  kaldır* iptal_et* tắt vô_hiệu_hóa gỡ_bỏ loại_bỏ matikan nonaktifkan menonaktifkan lepaskan cabut hapus hilangkan
  patayin alisin
void: لاغية ملغاة لم_تعد_سارية باطلة لا_تنطبق अमान्य* लागू_नहीं रद्द geçersiz* artık_geçerli_değil hükümsüz không_còn_hiệu_lực vô_hiệu
  hết_hiệu_lực tidak_berlaku tidak_lagi_berlaku sudah_tidak_berlaku không_tồn_tại
instructions: تعليمات التعليمات تعليماتك والتعليمات أوامر الأوامر أوامرك والأوامر توجيهات التوجيهات توجيهاتك إرشادات الإرشادات إرشاداتك أمر برومبت المطالبة
  निर्देश* आदेश* अनुदेश* हिदायत* प्रॉम्प्ट* कमांड* নির্দেশ* আদেশ* talimat* yönerge* komut* emir* emirler* buyruk* istem* direktif*
  hướng_dẫn chỉ_dẫn chỉ_thị mệnh_lệnh lệnh yêu_cầu câu_lệnh lời_nhắc instruksi instruksimu instruksinya perintah petunjuk
  arahan tagubilin utos panuto mga_tagubilin
rules: قواعد القواعد قواعدك नियम* kural* quy_tắc quy_định luật aturan peraturan নিয়ম* patakaran
orders: مهام المهام مهمة المهمة कार्य* काम* görev* nhiệm_vụ tugas gawain কাজ*
talk: النص نص الرسائل الرسالة المحادثة محادثة السياق पाठ* संदेश* बातचीत* संदर्भ* metin* mesaj* konuşma* bağlam* văn_bản tin_nhắn cuộc_trò_chuyện
  nội_dung teks pesan percakapan konteks
everything: كل_ما كل_شيء جميع_ما ما_قيل ما_سبق सब_कुछ जो_कुछ जो_भी जो her_şeyi her_şey hepsini söylenenleri mọi_thứ tất_cả_những_gì
  những_gì semua_yang segala_sesuatu segala apa_yang lahat_ng সবকিছু যা
told: قيل قلت أعطيت اعطيت طلب تلقيت أخبرتك बताया* कहा* दिए* दिया* मिले* मिला* söylenen* söylediğim* verilen* aldığın* öğrendiğin*
  được_bảo đã_nói đã_nhận đã_cho đã_được dikatakan diberikan diterima diberitahukan disampaikan dibahas বলা* দেওয়া* sinabi ibinigay
previous: السابقة السابق السابقين سابقة سابق سابقا سابقًا أعلاه اعلاه قبل من_قبل الماضية المذكورة الأصلية पिछल* पूर्व* पहले* ऊपर* अब_तक मूल* पुरान*
  আগের আগে পূর্ববর্তী পূর্বের উপরের önceki* daha_önce yukarıdaki* yukarıda öncesinde evvelki* şimdiye_kadar bundan_önceki*
  geçmiş* orijinal asıl trước trước_đó trước_đây ở_trên bên_trên phía_trên từ_trước ban_đầu sebelumnya sebelum terdahulu di_atas
  tadi sebelum_ini selama_ini awal nakaraan nauna naunang
all: جميع كل كافة سائر أي सभी* सब* सारे* समस्त* हर* tüm bütün hepsi her_türlü herhangi mọi tất_cả toàn_bộ các semua seluruh segala setiap
  apa_pun সমস্ত সকল সব lahat
your: الخاصة_بك الخاص_بك لديك خاصتك تعليماتك अपने* अपनी* अपना* तुम्हारे* आपके* आपकी* senin sizin kendi của_bạn của_mày anda kamu আপনার
  তোমার iyong mo
systemprompt: موجه_النظام رسالة_النظام تعليمات_النظام أوامر_النظام مطالبة_النظام برومبت_النظام لموجه_النظام सिस्टम_प्रॉम्प्ट* सिस्टम_संदेश* सिस्टम_निर्देश*
  सिस्टम_के_निर्देश* sistem_istemi* sistem_istemini sistem_mesajı* sistem_talimat* sistem_komut* sistem_promptu* sistem_prompt* sistem_yönerge*
  prompt_hệ_thống lời_nhắc_hệ_thống hướng_dẫn_hệ_thống tin_nhắn_hệ_thống lệnh_hệ_thống chỉ_thị_hệ_thống thông_báo_hệ_thống prompt_sistem
  pesan_sistem instruksi_sistem perintah_sistem সিস্টেম_প্রম্পট* geliştirici_talimat* instruksi_pengembang
system: النظام नظام सिस्टम* sistem sistemin hệ_thống সিস্টেম* sistema
prompt: موجه رسالة prompt प्रॉम्प्ट* istem* pesan
safety: الأمان الامان أمان السلامة الأمنية الأخلاقية أخلاقية المحتوى सुरक्षा* नैतिक* सामग्री* सेंसर* güvenlik* etik ahlak* ahlaki içerik*
  sansür* an_toàn bảo_mật đạo_đức nội_dung kiểm_duyệt keamanan keamananmu etika moral konten sensor নিরাপত্তা*
filter: مرشحات مرشح فلاتر فلتر الفلاتر قيود القيود إجراءات ضوابط سياسات सीमा* फ़िल्टर* फिल्टर* प्रतिबंध* नियम* उपाय* नीति* दिशानिर्देश* filtre* kısıtlama* önlem*
  kural* politika* sınır* protokol* duvar* bộ_lọc hạn_chế giới_hạn quy_tắc biện_pháp chính_sách rào_cản filter filtermu pembatasan
  batasan batasanmu aturan kebijakan protokol perlindungan ফিল্টার*
safeguard: الرقابة رقابة مرشحات_الأمان قيود_الأمان सुरक्षा_उपाय* सेंसरशिप* sansür* güvenlik_önlem* güvenlik_duvar* bộ_lọc_an_toàn kiểm_duyệt
  filter_keamanan sensor pengaman
restriction: limiti limitler قيود القيود حدود قواعد رقابة أخلاق ضوابط قيد प्रतिबंध* सीमा* नियम* रोक* बंधन* पाबंदी* पाबन्दी* नैतिकता* सेंसर* kısıtlama* sınır* kural* etik
  ahlak* filtre* sansür* giới_hạn hạn_chế quy_tắc luật_lệ đạo_đức kiểm_duyệt rào_cản ràng_buộc batasan batas aturan
  pembatasan moral etika sensor larangan filter সীমা* limitasyon paghihigpit
not: بلا بدون دون من_دون بلا_أي بدون_أي ليس خال خالي بلا_أية لا बिना रहित मुक्त नहीं không không_có không_bị chẳng_có thoát_khỏi tanpa tidak_ada
  tidak_punya tidak_memiliki bebas_dari tak tidak walang
gone: olmayan olmadan olmaksızın yok tanımayan tanımaz sız रहित मुक्त नहीं
unrestricted: غير_مقيد غير_مقيدة बेरोक* अप्रतिबंधित* असीमित* sınırsız* kısıtlamasız* sansürsüz* kuralsız* filtresiz* 
   vô_đạo_đức 
role: تصرف تظاهر تخيل مثل_دور العب أنت تقمص كن अभिनय* ढोंग* नाटक* भूमिका* तुम आप कल्पना* बनो गण्य rol rolü rolünü rolüne davran* gibi_yap* taklit* hayal_et*
  ol đóng_vai giả_vờ hãy_tưởng_tượng hành_động hãy_là bạn_là berpura_pura bertindak berperan bayangkan jadilah kamu_adalah
  anda_adalah magpanggap ikaw_ay
nowyou: أنت_الآن انت_الآن من_الآن الآن_أنت ابتداء_من_الآن अब_तुम अब_आप अब_से artık sen_artık şu_andan_itibaren bundan_sonra bundan_böyle şimdi_sen
  sen_şimdi bây_giờ_bạn từ_giờ từ_bây_giờ từ_nay bạn_giờ_là kamu_sekarang sekarang_kamu anda_sekarang sekarang_anda mulai_sekarang
  ikaw_na
ai: ذكاء_اصطناعي الذكاء_الاصطناعي مساعد نموذج روبوت ذكاء एआई कृत्रिम* सहायक मॉडल* बॉट* रोबोट* yapay_zek* asistan* robot* model* bot trí_tuệ_nhân_tạo
  trợ_lý mô_hình kecerdasan_buatan asisten এআই
mode: وضع मोड* mod modu moduna chế_độ modus mode মোড*
powermode: النظام المطور تجاوز सिस्टम डेवलपर ओवरराइड रखरखाव भगवान geliştirici sistem tanrı bakım nhà_phát_triển hệ_thống tuhan sistem
  pengembang সিস্টেম
enter: أدخل ادخل أدخل_الآن تفعيل प्रवेश* giriyorum vào kích_hoạt memasuki masuk diaktifkan aktifkan
answer: أجب اجب उत्तर* जवाब* yanıtla* cevap* cevapla* trả_lời jawab menjawab
refuse: ترفض يرفض मना* reddet* từ_chối menolak
grant: كلمة_المرور पासवर्ड* şifre* parola* mật_khẩu kata_sandi يجب_أن चाहिए* zorundasın phải harus
benign: بريد البريد خطأ الأخطاء الإملائية ملف تحذير ईमेल* त्रुटि* फ़ाइल* चेतावनी* posta* e_posta* hata* dosya* uyarı* email cảnh_báo
  surel galat kesalahan berkas peringatan surat
tagword: نظام सिस्टम sistem hệ_thống সিস্টেম
claim: saya_tuhan aku_tuhan saya_adalah_tuhan saya_pengembang saya_presiden sebagai_penciptamu tôi_là_chúa tôi_là_một_nhà_phát_triển
  tôi_là_nhà_phát_triển tôi_là_tổng_thống أنا_الله أنا_مطور أنا_المطور أنا_رئيس मैं_भगवान मैं_आपका_डेवलपर मैं_एक_डेवलपर ben_tanrıyım
`
