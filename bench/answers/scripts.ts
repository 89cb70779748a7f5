import type { Shown } from './check.ts'

/** A small shop whose products are written in many scripts, with what goes wrong in each of them. */
const products: readonly (readonly [title: string, desc: string])[] = [
  // Chinese
  ['不锈钢保温杯 500毫升', '双层真空，保温十二小时，适合办公室和旅行'],
  ['儿童保温杯 350毫升', '吸管杯，防漏，适合上学'],
  ['玻璃茶杯', '耐热玻璃，带盖'],
  ['紫砂茶壶', '手工制作的茶壶，适合泡绿茶'],
  ['西湖龙井绿茶 250克', '春天采摘的绿茶'],
  ['羽毛球拍 双拍', '碳素材料，送羽毛球'],
  ['折叠雨伞', '防晒防雨，三折'],
  ['電動牙刷', '充電式，附兩個刷頭'],
  // Japanese
  ['ステンレス水筒 1リットル', '保冷・保温できる軽い水筒です'],
  ['子供用水筒', 'ストロー付きで洗いやすい'],
  ['折りたたみ自転車 20インチ', '軽量で持ち運びやすい自転車'],
  ['自転車用ヘルメット', '大人用、サイズ調整できます'],
  ['コーヒーメーカー', 'ガラスのポット付き、五杯分'],
  ['ノートパソコン用バッグ', '十五インチまで入ります'],
  ['抹茶 40グラム', '京都のお茶'],
  // Korean
  ['무선 블루투스 이어폰', '소음을 줄여 주는 이어폰입니다'],
  ['스테인리스 텀블러 500ml', '뜨거운 커피를 오래 따뜻하게'],
  ['어린이 자전거 16인치', '보조 바퀴가 있는 자전거입니다'],
  ['자전거 헬멧', '머리를 안전하게 지켜 줍니다'],
  ['원목 책상', '넓은 책상과 서랍 두 개'],
  ['사무용 의자', '책상에서 오래 앉아도 편한 의자'],
  // Thai
  ['กระเป๋าเดินทางล้อลาก', 'กระเป๋าขนาดใหญ่ น้ำหนักเบา'],
  ['หม้อหุงข้าวไฟฟ้า', 'หุงข้าวได้หนึ่งลิตร'],
  ['รองเท้าวิ่งผู้ชาย', 'รองเท้านุ่ม ใส่สบาย'],
  ['เสื้อกันฝนเด็ก', 'เสื้อกันฝนสีเหลือง'],
  // Khmer, Lao
  ['ឆ្នាំងដាំបាយអគ្គិសនី', 'ដាំបាយបានមួយលីត្រ'],
  ['ស្បែកជើងរត់', 'ស្បែកជើងស្រាលសម្រាប់បុរស'],
  ['ໝໍ້ຫຸງເຂົ້າໄຟຟ້າ', 'ຫຸງເຂົ້າໄດ້ໜຶ່ງລິດ'],
  ['ເກີບແລ່ນ', 'ເກີບເບົາສໍາລັບຜູ້ຊາຍ'],
  // Hebrew, with and without points
  ['כִּסֵּא עֵץ לְמִטְבָּח', 'כיסא חזק מעץ אלון'],
  ['שולחן אוכל מעץ', 'שולחן לשישה סועדים'],
  ['סֵפֶר בישול', 'מתכונים לכל המשפחה'],
  // Arabic and Persian, with and without marks
  ['حِذاء رياضي للرجال', 'حذاء خفيف للجري'],
  ['حقيبة سفر كبيرة', 'حقيبة بعجلات'],
  ['قَهْوَة عربية ٥٠٠ غرام', 'قهوة محمصة مع الهيل'],
  ['إبريق شاي', 'إبريق زجاجي للشاي'],
  ['کتاب آشپزی ایرانی', 'دستور غذاهای خانگی'],
  // Cyrillic, Greek
  ['Ёлка искусственная 180 см', 'Ёлка с подставкой, густая хвоя'],
  ['Зимние ботинки мужские', 'Тёплые ботинки на меху'],
  ['Чайник электрический 1,7 л', 'Стеклянный чайник с подсветкой'],
  ['Йогурт домашний', 'Без сахара'],
  ['Бездротові навушники', 'Навушники з їх чохлом'],
  ['Καφετιέρα φίλτρου', 'Καφετιέρα με γυάλινη κανάτα'],
  ['Ξύλινη καρέκλα κουζίνας', 'Καρέκλα από οξιά'],
  ['Ελληνικός καφές 200 γρ', 'Φρεσκοκαβουρδισμένος καφές'],
  // Devanagari, Tamil
  ['स्टील पानी की बोतल', 'एक लीटर की बोतल'],
  ['सूती साड़ी नीली', 'हाथ से बुनी साड़ी'],
  ['மண் பானை', 'சமையலுக்கு ஏற்ற பானை'],
  // Latin letters that are not letters with marks
  ['Smørkniv i eg', 'Håndlavet kniv til smør'],
  ['Rødvinsglas, 6 stk', 'Glas til rødvin'],
  ['Łódka gumowa dla dzieci', 'Nadmuchiwana łódka do basenu'],
  ['Łyżka drewniana', 'Łyżka z drewna bukowego'],
  ['Čaj od mađarske kamilice', 'Biljni čaj iz Mađarske'],
  ['Cœur en chocolat noir', 'Un cœur au chocolat pour la fête des mères'],
  ['Bœuf séché 200 g', 'Viande de bœuf séchée'],
  ['Encyclopædia of Garden Birds', 'All birds of æra and field'],
  ['Fußball, Größe 5', 'Ein Fußball für Rasen und Halle'],
  ['Straßenschuhe für Damen', 'Schuhe aus Leder, weiß'],
  ['Grüner Tee, Bio', 'Lose Blätter aus Japan'],
  ['Müslischale aus Steingut', 'Für Müsli und Suppe'],
  ['Crème brûlée dish', 'Four dishes of porcelain'],
  ['Piñata de cumpleaños', 'Piñata con forma de estrella'],
  ['Ayakkabı İzci modeli', 'Işıklı çocuk ayakkabısı'],
  ['Ốp điện thoại trong suốt', 'Ốp lưng mềm cho điện thoại'],
  ['Cà phê Đà Lạt 500 g', 'Cà phê rang xay nguyên chất'],
  // Soft hyphens, other hyphens, emoji
  ['Staub\u00adsauger\u00adbeutel, 10 Stück', 'Passend für die meisten Staub\u00adsauger'],
  ['Blu\u2011ray player with remote control', 'Plays discs and streams'],
  ['Waffle\u00admaker, non-stick', 'For two heart-shaped waffles'],
  ['Mug with 🦊 print', 'A fox on a mug'],
  ['Balloons 🎈, 50 pieces', 'For birthdays'],
  ['Sticker sheet ❤️ and ⭐', 'Hearts and stars'],
  ['Yo-yo with spare string', 'Wooden yo-yo'],
]

export const manyScripts: readonly Shown[] = products.map(([title, desc], at) => ({
  id: `s-${String(at + 1).padStart(3, '0')}`,
  title,
  desc,
}))
