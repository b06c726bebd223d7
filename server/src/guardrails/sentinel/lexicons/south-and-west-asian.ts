// Arabic, Hindi, Bengali, Turkish, Vietnamese, Indonesian and Filipino words by class.

export const southAndWestAsian = `
ignore: abaikan acuhkan aldırma* aldırış_etme* bakılmaksızın balewalain bağımsız_olarak berhenti_mengikuti
  bir_kenara_bırak* boşver* bất_chấp bất_kể bỏ_qua dikkate_alma* dinleme* es_geç* görmezden_gel* göz_ardı* gözardı*
  gạt_bỏ hiraukan huwag_pansinin huwag_sundin ihmal_et* isantabi jangan_hiraukan jangan_ikuti jangan_patuhi
  jangan_pedulikan jangan_turuti kaligtaan kalimutan kesampingkan không_cần_tuân_theo không_làm_theo không_quan_tâm
  không_tuân_theo kulak_asma* langgar lupakan lờ_đi melupakan mengabaikan mặc_kệ phớt_lờ quên takip_etme*
  tanpa_memperhatikan terlepas_dari unut* uyma* yok_say* yoksay* önemseme* đừng_làm_theo đừng_nghe đừng_quan_tâm
  đừng_tuân_theo đừng_để_ý أغفل أهمل اترك اغفل انس انسوا انسى انسي انسَ بغض_النظر تجاهل تجاهلوا تجاهلي تغاض تغاضى
  تغافل توقف_عن_اتباع خالف دعك_من لا_تأخذ لا_تتبع لا_تتبعي لا_تلتزم لا_تلق_بالا لا_تنفذ لا_تهتم وتجاهل अनदेखा*
  अनदेखी* अवहेलना* इग्नोर* उपेक्षा* छोड़* ध्यान_न_दें ध्यान_मत_दो न_मानो नकार* नजरअंदाज* नज़रंदाज़* नज़रअंदाज़*
  परवाह_किए_बिना पालन_न_करें पालन_मत_करो भुला* भूल* मत_मानें मत_मानो অগ্রাহ্য* উপেক্ষা* বাদ_দিন ভুলে* মানবেন_না
drop: batalkan buang burahin hapus hapuskan hủy hủy_bỏ iptal_et* kaldır kanselahin loại_bỏ sil silin xóa ألغ ألغي
  احذف الغ الغي امسح تخلص मिटा* रद्द* हटा*
override: değiştir* ganti ghi_đè palitan sửa_đổi thay_thế timpa ubah üzerine_yaz* استبدل اكتب_فوق عدّل غيّر ओवरराइड*
  बदल* बदलो
bypass: atlat* aşarak aşın devre_dışı hindari ihlal_et* lampasan langgar lewati lách melewati né qua_mặt terobos
  vi_phạm vượt_qua اخترق التف تجاوز تجاوزي تحايل تخط تخطى تخطي चकमा* तोड़* दरकिनार* बाईपास* बायपास*
disable: alisin cabut devre_dışı_bırak* etkisizleştir* gỡ_bỏ hapus hilangkan iptal_et* kaldır* kapat* lepaskan
  loại_bỏ matikan menonaktifkan nonaktifkan patayin tắt vô_hiệu_hóa أزل أزيل أطفئ ألغ أوقف إيقاف ارفع ازل اطفئ الغ
  اوقف تعطيل عطل عطّل अक्षम* निष्क्रिय* बंद* हटा*
void: artık_geçerli_değil geçersiz* hükümsüz hết_hiệu_lực không_còn_hiệu_lực không_tồn_tại sudah_tidak_berlaku
  tidak_berlaku tidak_lagi_berlaku vô_hiệu باطلة لا_تنطبق لاغية لم_تعد_سارية ملغاة अमान्य* रद्द लागू_नहीं
instructions: arahan buyruk* chỉ_dẫn chỉ_thị câu_lệnh direktif* emir* emirler* hướng_dẫn instruksi instruksimu
  instruksinya istem* komut* lệnh lời_nhắc mga_tagubilin mệnh_lệnh panuto perintah petunjuk tagubilin talimat* utos
  yêu_cầu yönerge* أمر أوامر أوامرك إرشادات إرشاداتك الأوامر الإرشادات التعليمات التوجيهات المطالبة برومبت تعليمات
  تعليماتك توجيهات توجيهاتك والأوامر والتعليمات अनुदेश* आदेश* कमांड* निर्देश* प्रॉम्प्ट* हिदायत* আদেশ* নির্দেশ*
rules: aturan kural* luật patakaran peraturan quy_tắc quy_định القواعد قواعد قواعدك नियम* নিয়ম*
orders: gawain görev* nhiệm_vụ tugas المهام المهمة مهام مهمة काम* कार्य* কাজ*
talk: bağlam* cuộc_trò_chuyện konteks konuşma* mesaj* metin* nội_dung percakapan pesan teks tin_nhắn văn_bản الرسائل
  الرسالة السياق المحادثة النص محادثة نص पाठ* बातचीत* संदर्भ* संदेश*
everything: apa_yang hepsini her_şey her_şeyi lahat_ng mọi_thứ những_gì segala segala_sesuatu semua_yang
  söylenenleri tất_cả_những_gì جميع_ما كل_شيء كل_ما ما_سبق ما_قيل जो जो_कुछ जो_भी सब_कुछ যা সবকিছু
told: aldığın* dibahas diberikan diberitahukan dikatakan disampaikan diterima ibinigay sinabi söylediğim* söylenen*
  verilen* öğrendiğin* đã_cho đã_nhận đã_nói đã_được được_bảo أخبرتك أعطيت اعطيت تلقيت طلب قلت قيل कहा* दिए* दिया*
  बताया* मिला* मिले* দেওয়া* বলা*
previous: asıl awal ban_đầu bundan_önceki* bên_trên daha_önce di_atas evvelki* geçmiş* nakaraan nauna naunang
  orijinal phía_trên sebelum sebelum_ini sebelumnya selama_ini tadi terdahulu trước trước_đây trước_đó từ_trước
  yukarıda yukarıdaki* önceki* öncesinde şimdiye_kadar أعلاه اعلاه الأصلية السابق السابقة السابقين الماضية المذكورة
  سابق سابقا سابقة سابقًا قبل من_قبل अब_तक ऊपर* पहले* पिछल* पुरान* पूर्व* मूल* আগে আগের উপরের পূর্ববর্তী পূর্বের
  ở_trên
all: apa_pun bütün các hepsi her_türlü herhangi lahat mọi segala seluruh semua setiap toàn_bộ tüm tất_cả أي جميع
  سائر كافة كل सब* सभी* समस्त* सारे* हर* সকল সব সমস্ত
your: anda của_bạn của_mày iyong kamu kendi mo senin sizin الخاص_بك الخاصة_بك تعليماتك خاصتك لديك अपना* अपनी* अपने*
  आपकी* आपके* तुम्हारे* আপনার তোমার
systemprompt: chỉ_thị_hệ_thống geliştirici_talimat* hướng_dẫn_hệ_thống instruksi_pengembang instruksi_sistem
  lệnh_hệ_thống lời_nhắc_hệ_thống perintah_sistem pesan_sistem prompt_hệ_thống prompt_sistem sistem_istemi*
  sistem_istemini sistem_komut* sistem_mesajı* sistem_prompt* sistem_promptu* sistem_talimat* sistem_yönerge*
  thông_báo_hệ_thống tin_nhắn_hệ_thống أوامر_النظام برومبت_النظام تعليمات_النظام رسالة_النظام لموجه_النظام
  مطالبة_النظام موجه_النظام सिस्टम_के_निर्देश* सिस्टम_निर्देश* सिस्टम_प्रॉम्प्ट* सिस्टम_संदेश* সিস্টেম_প্রম্পট*
system: hệ_thống sistem sistema sistemin النظام नظام सिस्टम* সিস্টেম*
prompt: istem* pesan prompt رسالة موجه प्रॉम्प्ट*
safety: ahlak* ahlaki an_toàn bảo_mật etik etika güvenlik* içerik* keamanan keamananmu kiểm_duyệt konten moral
  nội_dung sansür* sensor đạo_đức أخلاقية أمان الأخلاقية الأمان الأمنية الامان السلامة المحتوى नैतिक* सामग्री*
  सुरक्षा* सेंसर* নিরাপত্তা*
filter: aturan batasan batasanmu biện_pháp bộ_lọc chính_sách duvar* filter filtermu filtre* giới_hạn hạn_chế
  kebijakan kural* kısıtlama* pembatasan perlindungan politika* protokol protokol* quy_tắc rào_cản sınır* önlem*
  إجراءات الفلاتر القيود سياسات ضوابط فلاتر فلتر قيود مرشح مرشحات उपाय* दिशानिर्देश* नियम* नीति* प्रतिबंध* फ़िल्टर*
  फिल्टर* सीमा* ফিল্টার*
safeguard: bộ_lọc_an_toàn filter_keamanan güvenlik_duvar* güvenlik_önlem* kiểm_duyệt pengaman sansür* sensor الرقابة
  رقابة قيود_الأمان مرشحات_الأمان सुरक्षा_उपाय* सेंसरशिप*
restriction: ahlak* aturan batas batasan etik etika filter filtre* giới_hạn hạn_chế kiểm_duyệt kural* kısıtlama*
  larangan limitasyon limiti limitler luật_lệ moral paghihigpit pembatasan quy_tắc ràng_buộc rào_cản sansür* sensor
  sınır* đạo_đức أخلاق القيود حدود رقابة ضوابط قواعد قيد قيود नियम* नैतिकता* पाबंदी* पाबन्दी* प्रतिबंध* बंधन* रोक*
  सीमा* सेंसर* সীমা*
not: bebas_dari chẳng_có không không_bị không_có tak tanpa thoát_khỏi tidak tidak_ada tidak_memiliki tidak_punya
  walang بدون بدون_أي بلا بلا_أي بلا_أية خال خالي دون لا ليس من_دون नहीं बिना मुक्त रहित
gone: olmadan olmaksızın olmayan sız tanımayan tanımaz yok नहीं मुक्त रहित
unrestricted: filtresiz* kuralsız* kısıtlamasız* sansürsüz* sınırsız* vô_đạo_đức غير_مقيد غير_مقيدة अप्रतिबंधित*
  असीमित* बेरोक*
role: anda_adalah bayangkan berperan berpura_pura bertindak bạn_là davran* gibi_yap* giả_vờ hayal_et* hành_động
  hãy_là hãy_tưởng_tượng ikaw_ay jadilah kamu_adalah magpanggap ol rol rolü rolüne rolünü taklit* đóng_vai أنت العب
  تخيل تصرف تظاهر تقمص كن مثل_دور अभिनय* आप कल्पना* गण्य ढोंग* तुम नाटक* बनो भूमिका*
nowyou: anda_sekarang artık bundan_böyle bundan_sonra bây_giờ_bạn bạn_giờ_là ikaw_na kamu_sekarang mulai_sekarang
  sekarang_anda sekarang_kamu sen_artık sen_şimdi từ_bây_giờ từ_giờ từ_nay şimdi_sen şu_andan_itibaren أنت_الآن
  ابتداء_من_الآن الآن_أنت انت_الآن من_الآن अब_आप अब_तुम अब_से
ai: asistan* asisten bot kecerdasan_buatan model* mô_hình robot* trí_tuệ_nhân_tạo trợ_lý yapay_zek* الذكاء_الاصطناعي
  ذكاء ذكاء_اصطناعي روبوت مساعد نموذج एआई कृत्रिम* बॉट* मॉडल* रोबोट* सहायक এআই
mode: chế_độ mod mode modu moduna modus وضع मोड* মোড*
powermode: bakım geliştirici hệ_thống nhà_phát_triển pengembang sistem tanrı tuhan المطور النظام تجاوز ओवरराइड
  डेवलपर भगवान रखरखाव सिस्टम সিস্টেম
enter: aktifkan diaktifkan giriyorum kích_hoạt masuk memasuki vào أدخل أدخل_الآن ادخل تفعيل प्रवेश*
answer: cevap* cevapla* jawab menjawab trả_lời yanıtla* أجب اجب उत्तर* जवाब*
refuse: menolak reddet* từ_chối ترفض يرفض मना*
grant: harus kata_sandi mật_khẩu parola* phải zorundasın şifre* كلمة_المرور يجب_أن चाहिए* पासवर्ड*
benign: berkas cảnh_báo dosya* e_posta* email galat hata* kesalahan peringatan posta* surat surel uyarı* الأخطاء
  الإملائية البريد بريد تحذير خطأ ملف ईमेल* चेतावनी* त्रुटि* फ़ाइल*
tagword: hệ_thống sistem نظام सिस्टम সিস্টেম
claim: aku_tuhan ben_tanrıyım saya_adalah_tuhan saya_pengembang saya_presiden saya_tuhan sebagai_penciptamu
  tôi_là_chúa tôi_là_một_nhà_phát_triển tôi_là_nhà_phát_triển tôi_là_tổng_thống أنا_الله أنا_المطور أنا_رئيس
  أنا_مطور मैं_आपका_डेवलपर मैं_एक_डेवलपर मैं_भगवान
`
