"""Where somebody lives, and places where nobody does."""

from __future__ import annotations

import pytest

from tests.unit.judges.redaction.cases import taken, values

FOUND = [
    ("寄到北京市海淀区学院路37号", "北京市海淀区学院路37号"),
    ("地址是上海市徐汇区漕溪北路595号5号楼1203室", "上海市徐汇区漕溪北路595号5号楼1203室"),
    ("我住在广州市越秀区环市东路368号花园酒店主楼1508房", "广州市越秀区环市东路368号花园酒店主楼1508房"),
    ("送到阳光小区3栋2单元401", "阳光小区3栋2单元401"),
    ("家住和平里七区12号楼3门", "和平里七区12号楼3门"),
    ("湖南省长沙市芙蓉区五一大道235号湘域中央1栋2208室", "湖南省长沙市芙蓉区五一大道235号湘域中央1栋2208室"),
    ("福建省泉州市晋江市陈埭镇岸兜村8组15号", "福建省泉州市晋江市陈埭镇岸兜村8组15号"),
    ("收货地址:深圳市福田区福华一路88号中心商务大厦A座9层", "深圳市福田区福华一路88号中心商务大厦A座9层"),
    ("我在中山东二路9弄3号602室", "中山东二路9弄3号602室"),
    ("地址:甘肃省定西市陇西县首阳镇水月坪村", "甘肃省定西市陇西县首阳镇水月坪村"),
    ("新地址为成都市高新区天府三街69号1栋13楼1302", "成都市高新区天府三街69号1栋13楼1302"),
    ("寄到杭州市西湖区文三路 90 号 3 幢 502 室,谢谢", "杭州市西湖区文三路 90 号 3 幢 502 室"),
    ("住在花家地西里 203 号楼 4 单元 601", "花家地西里 203 号楼 4 单元 601"),
    ("at 10 Downing Street, London SW1A 2AA", "10 Downing Street, London SW1A 2AA"),
    ("I live at 4 Elm Grove, Cardiff CF10 3AT", "4 Elm Grove, Cardiff CF10 3AT"),
    ("send it to 1 Infinite Loop, Cupertino, CA 95014", "1 Infinite Loop, Cupertino, CA 95014"),
    ("221 W. Superior St, Apt 9, Duluth, MN 55802", "221 W. Superior St, Apt 9, Duluth, MN 55802"),
    ("PO Box 1234, Boise, ID 83701", "PO Box 1234, Boise, ID 83701"),
    (
        "ship to 77 Massachusetts Avenue, Cambridge, MA 02139-4307",
        "77 Massachusetts Avenue, Cambridge, MA 02139-4307",
    ),
    ("Suite 400, 2020 Main Street, Irvine, CA 92614", "Suite 400, 2020 Main Street, Irvine, CA 92614"),
    ("postcode EH1 1YZ", "EH1 1YZ"),
    ("邮编:518000", "518000"),
    ("address: Flat 3, 9 High Street, Oxford OX1 4DB", "Flat 3, 9 High Street, Oxford OX1 4DB"),
    ("Address: 12 rue de Rivoli, 75004 Paris", "12 rue de Rivoli, 75004 Paris"),
]
LEFT = [
    "北京市海淀区有哪些大学",
    "上海市浦东新区的政策",
    "南京路步行街",
    "解放路小学放假吗",
    "第3号仓库A区",
    "5号楼在哪里",
    "10号线换乘2号线",
    "人民广场 2 号线怎么换乘",
    "商城 8 号 开始打折",
    "开发区 5 组 数据",
    "这条路 5 号通车",
    "A座和B座的区别",
    "3栋办公楼正在施工",
    "107国道35公里处",
    "第二十条第三款",
    "Main Street shops are closed",
    "In 2023 Road works began",
    "Chapter 3 Square roots",
    "Windows 11 Drive letters",
    "page 12 Court records",
    "zip files are compressed",
    "the IP address 10.0.0.1",
    "email address is required",
]


@pytest.mark.parametrize(("text", "address"), FOUND)
def test_an_address_is_taken_out_to_the_door(text: str, address: str) -> None:
    assert values(text, "address") == [address]


@pytest.mark.parametrize("text", LEFT)
def test_a_place_that_is_nobodys_address_stays(text: str) -> None:
    assert taken(text) == []
