"""Places that no profile entity needs to be: a figure "in Guangdong" is not the figure of the company."""

from typing import Final

# One name per line would hide the table.
# fmt: off
_ZH_PROVINCES: Final = (
    "上海", "云南", "内蒙古", "北京", "台湾", "吉林", "四川", "天津", "宁夏", "安徽", "山东", "山西", "广东", "广西",
    "新疆", "江苏", "江西", "河北", "河南", "浙江", "海南", "湖北", "湖南", "澳门", "甘肃", "福建", "西藏", "贵州",
    "辽宁", "重庆", "陕西", "青海", "香港", "黑龙江",
)
_ZH_CITIES: Final = (
    "东莞", "中山", "佛山", "兰州", "南京", "南宁", "南昌", "厦门", "台北", "合肥", "哈尔滨", "大连", "太原", "宁波",
    "常州", "广州", "徐州", "惠州", "成都", "拉萨", "无锡", "昆明", "杭州", "武汉", "沈阳", "泉州", "济南", "海口",
    "深圳", "温州", "烟台", "珠海", "石家庄", "福州", "苏州", "西宁", "西安", "贵阳", "郑州", "银川", "长春", "长沙",
    "青岛",
)
_ZH_WORLD: Final = (
    "东亚", "东南亚", "东欧", "中东", "中亚", "中国", "丹麦", "亚太", "亚洲", "京津冀", "以色列", "伊朗", "俄罗斯",
    "加拿大", "匈牙利", "北欧", "北美", "北美洲", "南亚", "南美", "南美洲", "南非", "印尼", "印度", "印度尼西亚",
    "哥伦比亚", "土耳其", "埃及", "墨西哥", "大洋洲", "大湾区", "奥地利", "孟加拉", "尼日利亚", "巴基斯坦", "巴西",
    "希腊", "德国", "意大利", "拉丁美洲", "拉美", "挪威", "捷克", "斯里兰卡", "新加坡", "新西兰", "日本", "智利",
    "柬埔寨", "欧洲", "欧盟", "比利时", "沙特", "沙特阿拉伯", "法国", "波兰", "泰国", "港澳", "港澳台", "澳大利亚",
    "澳洲", "爱尔兰", "珠三角", "瑞典", "瑞士", "秘鲁", "粤港澳", "缅甸", "罗马尼亚", "美国", "美洲", "老挝",
    "肯尼亚", "芬兰", "英国", "荷兰", "菲律宾", "葡萄牙", "蒙古", "西欧", "西班牙", "越南", "长三角", "阿根廷",
    "阿联酋", "非洲", "韩国", "马来西亚",
)
_EN: Final = (
    "africa", "america", "americas", "apac", "argentina", "asean", "asia", "asia pacific", "australia", "austria",
    "bangladesh", "beijing", "belgium", "brazil", "bulgaria", "california", "cambodia", "canada", "chile",
    "china", "colombia", "croatia", "czech republic", "denmark", "eastern europe", "egypt", "emea", "europe",
    "european union", "eurozone", "finland", "france", "germany", "great britain", "greater bay area",
    "greater china", "greece", "guangdong", "guangzhou", "hong kong", "hungary", "iceland", "india", "indonesia",
    "ireland", "israel", "italy", "japan", "kenya", "korea", "latam", "latin america", "london", "luxembourg",
    "macau", "mainland china", "malaysia", "mexico", "middle east", "morocco", "myanmar", "netherlands",
    "new york", "new zealand", "nigeria", "nordics", "north america", "norway", "pakistan", "paris", "peru",
    "philippines", "poland", "portugal", "romania", "russia", "saudi arabia", "scandinavia", "scotland",
    "shanghai", "shenzhen", "singapore", "slovakia", "slovenia", "south africa", "south america", "south korea",
    "southeast asia", "spain", "sri lanka", "sweden", "switzerland", "taiwan", "texas", "thailand", "tokyo",
    "turkey", "uae", "uk", "ukraine", "united arab emirates", "united kingdom", "united states",
    "united states of america", "usa", "venezuela", "vietnam", "wales", "western europe",
)
_IT: Final = (
    "america latina", "asia pacifico", "belgio", "brasile", "cina", "cina continentale", "corea", "danimarca",
    "europa", "finlandia", "francia", "germania", "giappone", "grecia", "inghilterra", "irlanda", "italia",
    "lombardia", "medio oriente", "messico", "milano", "nord america", "norvegia", "paesi bassi", "polonia",
    "portogallo", "regno unito", "roma", "romania", "russia", "spagna", "stati uniti", "sud africa",
    "sud america", "svezia", "svizzera", "torino", "turchia", "ungheria", "veneto",
)
# fmt: on

# With the endings that Chinese writes behind the names of places.
PLACES: Final = (
    *(f"{name}{ending}" for name in _ZH_PROVINCES for ending in ("", "省", "市", "自治区", "地区")),
    *(f"{name}{ending}" for name in _ZH_CITIES for ending in ("", "市", "地区")),
    *(f"{name}{ending}" for name in _ZH_WORLD for ending in ("", "地区", "市场")),
    *_EN,
    *_IT,
)
"""Names of provinces, cities, countries and regions of the world."""
